import FerryTestSupport
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An upload whose link to the server breaks repeatedly, and the bytes that this cost.
///
/// ```
/// let result = try await CutUpload(size: 32 << 20, cuts: 5).run(
/// in: place, to: server.port, "/files/", protocol: "tus")
/// #expect(result.bytesThrough <= result.bound(connections: 1))
/// ```
struct CutUpload {
    /// The event at each cut.
    enum Trouble {
        /// All connections break, and Ferry resumes.
        case link
        /// Ferry is killed and started again.
        case kill
    }

    struct Result: CustomStringConvertible {
        var size: Int
        /// The number of bytes that Ferry sent, including the heads of requests.
        var bytesThrough: Int
        var cuts: Int
        var upload: UploadLine
        /// The output of the last run of Ferry.
        var output: String

        /// The number of bytes sent for each byte of the file.
        var ratio: Double { Double(bytesThrough) / Double(size) }

        /// Returns the maximum number of bytes sent to a server that keeps everything it reads.
        ///
        /// Each cut loses the bytes under way on each connection: in the sockets on both sides of the link, in the
        /// link, and in the server's buffer. A slow server leaves all of these full.
        func bound(connections: Int) -> Int { size + cuts * connections * (512 << 10) }

        var description: String {
            let shown = (ratio * 10_000).rounded() / 10_000
            return "\(size >> 20) MiB cut \(cuts) times: \(bytesThrough) bytes sent, \(shown) of the file's"
        }
    }

    /// The size of the file in bytes.
    var size: Int
    /// The number of cuts. Each comes at a random offset, from 2 % of the file's size to nearly all of it.
    var cuts: Int
    var seed: UInt64 = 1
    var trouble = Trouble.link

    /// The name of the file, whose path is `Workplace.path(CutUpload.name)`.
    static let name = "large.bin"

    /// Uploads a file through a proxy to `port`, until it is done.
    /// - Parameters:
    ///   - path: The path of the destination's URL, with its leading slash.
    ///   - more: Further members of the destination, each after a comma.
    func run(
        in place: Workplace, to port: Int, _ path: String, protocol protocolName: String, more: String = "",
        limits: String = "{}", upTo limit: Duration = .seconds(240)
    ) async throws -> Result {
        try place.file(Self.name, "")
        _ = try PatternFile(at: place.path(Self.name), count: size, seed: seed)
        let engine = Engine()
        let isKill = trouble == .kill
        var faults = LinkFaults()
        // A server that gets the next request before it has noticed the break may block itself (tuspyserver 4.4.3 does
        // for 30 seconds).
        faults.downtime = .milliseconds(500)
        faults.cutsAfter = moments
        let proxy = try FaultyLink(to: port, faults) { _ in
            if isKill { engine.kill() }
        }
        defer { proxy.stop() }
        try place.configure(
            protocolName, at: "http://127.0.0.1:\(proxy.port)\(path)", more: more, limits: limits)
        let added = try await place.ferry("add", place.path(Self.name))
        #expect(added.ending == .exited(0), "\(added.errors)")
        var output = ""
        for _ in 0...cuts {
            let process = try place.start("run", "--json", "--exit-when-idle")
            engine.begin(process)
            let ending = try await process.ending(upTo: limit)
            output = process.output.text
            if case .exited = ending { break }
        }
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "done", "\(output)")
        #expect(proxy.cutCount == cuts)
        return Result(
            size: size, bytesThrough: proxy.bytesThrough, cuts: proxy.cutCount, upload: upload, output: output
        )
    }

    /// The numbers of bytes at which to cut. The seed decides them.
    private var moments: [Int] {
        var random = SeededGenerator(seed: seed)
        return (0..<cuts).map { _ in Int.random(in: size / 50...size / 50 * 48, using: &random) }
    }
}

/// The running program, shared with the thread that kills it.
private final class Engine: Sendable {
    private let process = Mutex<ChildProcess?>(nil)

    func begin(_ process: ChildProcess) { self.process.withLock { $0 = process } }
    func kill() { process.withLock { $0 }?.signal(SIGKILL) }
}
