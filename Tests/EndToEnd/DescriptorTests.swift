import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests a process that needs more files and sockets than it may open.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct DescriptorTests {
    private static let tracing = Comment(rawValue: "injects errors into system calls: needs strace")
    private static let limiting = Comment(rawValue: "limits what a process may open: needs prlimit")

    private let place: Workplace

    init() throws { place = try Workplace() }

    private func limited(to count: Int) -> [String] { ["prlimit", "--nofile=\(count):\(count)"] }

    @Test(.enabled(if: Privilege.has("prlimit"), limiting), arguments: ["put", "tus"])
    func `S18 more uploads than descriptors wait for each other and all end done`(
        protocolName: String
    ) async throws {
        let place = place
        let names = (0..<60).map { "file \($0)" }
        for name in names { try place.file(name, String(repeating: name, count: 2000)) }
        // The rate is low, so that many uploads run at the same time.
        let limit: (inout ReceiverConfiguration) -> Void = { $0.bytesPerSecond = 100_000 }
        try await ReceiverSite.with(limit) { site in
            try place.configure(
                protocolName, at: protocolName == "tus" ? site.tusURL : site.url,
                limits: #"{ "concurrency": 60 }"#)
            try await place.ferry("add", place.path("file *"))
            let process = try place.start(
                through: limited(to: 48), ["run", "--json", "--exit-when-idle"])
            let counting = Task { await Self.mostOpen(process.id) }
            let result = try await Workplace.result(of: process, upTo: .seconds(150))
            counting.cancel()
            #expect(result.ending == .exited(0), "\(result.output.suffix(3000)) \(result.errors)")
            // The rest is for the system's libraries, some of which end the process without a descriptor.
            #expect(await counting.value < 48)
            #expect(result.lines.last == #"{"counts":{"done":60},"event":"summary"}"#)
            for name in names {
                #expect(site.content(name) == Data(String(repeating: name, count: 2000).utf8))
            }
            let notices = result.lines.filter { EventLine.name(of: $0) == "note" }
            #expect(
                notices.contains { $0.contains("open files: the limit is 48; `ulimit -n` raises it") })
            #expect(notices.count <= 2, "\(notices)")
            let seen = try UploadLine.all(in: result.lines)
            let waits = seen.filter { $0.state == "waiting" }
            #expect(!waits.isEmpty)
            #expect(waits.allSatisfy { $0.error?.contains("too many open files") == true })
            #expect(!seen.contains { $0.state == "failed" || $0.state == "held" })
        }
    }

    /// Uploads a file, while the first system call `call` fails with EMFILE.
    ///
    /// - Parameter filter: The options by which strace selects the calls.
    /// - Returns: The reason why the upload waited, and the path of the file.
    private func wait(atFirst call: String, _ filter: [String] = []) async throws -> (String?, String) {
        let path = try place.file("a", "hello")
        return try await ReceiverSite.with { site in
            try place.configure("put", at: site.url, retry: 3)
            try await place.ferry("add", path)
            let words = [
                "strace", "-f", "-qq", "-o", place.directory.path("trace"), "-e", "trace=\(call)", "-e",
                "inject=\(call):error=EMFILE:when=1",
            ]
            let process = try place.start(through: words + filter, ["run", "--json", "--exit-when-idle"])
            let result = try await Workplace.result(of: process)
            #expect(result.ending == .exited(0), "\(result.output)")
            #expect(site.content("a") == Data("hello".utf8))
            return (try UploadLine.all(in: result.lines).first { $0.state == "waiting" }?.error, path)
        }
    }

    @Test(.enabled(if: Privilege.has("strace"), tracing))
    func `S18 a file that cannot be opened for want of descriptors waits`() async throws {
        // The file is opened relative to its folder, so strace selects the call by the folder.
        let (error, path) = try await wait(atFirst: "openat", ["-P", place.directory.path("files")])
        #expect(error?.hasPrefix("\(path): too many open files: the limit is ") == true)
    }

    @Test(.enabled(if: Privilege.has("strace"), tracing))
    func `S18 a socket that cannot be opened for want of descriptors waits`() async throws {
        // Other code makes sockets too. Only an upload connects one, and the error takes the same path.
        let (error, _) = try await wait(atFirst: "connect")
        #expect(error?.hasPrefix("127.0.0.1: too many open files") == true)
    }

    /// Makes each open call in the state folder fail once: for the journal, the snapshot, the rotation and the lock.
    @Test(.enabled(if: Privilege.has("strace"), tracing))
    func `S18 whatever is opened in the state folder, the reserve makes it possible`() async throws {
        let place = place
        try place.configure("put", at: "http://127.0.0.1:9/")
        try await place.ferry("add", try place.file("first"))
        let trace = place.directory.path("trace")
        let words = ["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat", "-P", place.state]
        func openings() throws -> [String] {
            try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
                .filter { $0.contains("openat(") && !$0.contains("openat(AT_FDCWD") }
        }
        let path = try place.file("more")
        let plain = try await Workplace.result(of: try place.start(through: words, ["add", "--again", path]))
        #expect(plain.ending == .exited(0), "\(plain.errors)")
        // With `--again` the history is not read first. strace counts the calls of each thread. The first one of the
        // main thread opens the folder itself, when there is no reserve yet.
        let all = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let threads = Dictionary(grouping: all.filter { $0.contains("openat(") }) { $0.prefix { $0 != " " } }
        let count = threads.values.map(\.count).max() ?? 0
        try #require(try openings().count >= 4)
        try #require(count >= 4)
        for number in 2...count {
            let fault = ["-e", "inject=openat:error=EMFILE:when=\(number)"]
            let result = try await Workplace.result(
                of: try place.start(through: words + fault, ["add", "--again", path]))
            #expect(result.ending == .exited(0), "opening \(number): \(result.errors)")
            let traced = try String(contentsOfFile: trace, encoding: .utf8)
            #expect(traced.contains("(INJECTED)"), "opening \(number) was not reached")
        }
        #expect(try await place.list().count == 1 + count)
    }

    @Test(.enabled(if: Privilege.has("prlimit"), limiting))
    func `S18 a receiver without descriptors serves every connection it took`() async throws {
        let inbox = place.directory.path("inbox")
        try FileManager.default.createDirectory(atPath: inbox, withIntermediateDirectories: false)
        let server = try place.start(
            through: limited(to: 40), ["serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:0"])
        let lines = try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
        let port = try #require(
            lines.first?.split(separator: ":").compactMap { UInt16($0.prefix { $0.isNumber }) }.first)
        let counting = Task { await Self.mostOpen(server.id) }
        // The kernel accepts all 60 connections. The receiver can have few of them open at once.
        let clients = try (0..<60).map { _ in try RawClient(port: port) }
        for (number, client) in clients.enumerated() {
            client.send("PUT /\(number) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\nhalf ")
        }
        for client in clients { client.send("a file") }
        var answers: [Int] = []
        for client in clients {
            let head = await Self.head(from: client)
            answers.append(Int(head.split(separator: " ").dropFirst().first ?? "") ?? 0)
            client.close()
        }
        #expect(answers.count == 60)
        counting.cancel()
        // The rest is for the system's libraries, some of which end the process without a descriptor.
        #expect(await counting.value < 40)
        // The receiver responds with 503 if it cannot open the file either.
        #expect(answers.allSatisfy { $0 == 201 || $0 == 503 }, "\(answers)")
        #expect(answers.contains(201))
        let stored = answers.count { $0 == 201 }
        print(
            "60 connections to a receiver of 40 descriptors: \(stored) stored at once, \(60 - stored) refused"
        )
        try place.configure("put", at: "http://127.0.0.1:\(port)/")
        try await place.ferry("add", try place.file("after", "after"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
        server.signal(SIGINT)
        #expect(try await server.ending() == .exited(0))
    }

    private static func head(from client: RawClient) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: client.receive(until: "\r\n\r\n")) }
        }
    }

    /// Returns the largest number of descriptors that the process had at once, until the task is cancelled.
    private static func mostOpen(_ process: pid_t) async -> Int {
        var most = 0
        repeat {
            most = max(most, openCount(process))
        } while (try? await Task.sleep(for: .milliseconds(5))) != nil
        return most
    }

    private static func openCount(_ process: pid_t) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0
    }
}
