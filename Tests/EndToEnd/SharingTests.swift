import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests several processes that use one queue.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct SharingTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func engine() async throws -> ChildProcess {
        let engine = try place.start("run", "--json")
        try await Eventually.holds("the control socket") { UnixSocket.accepts(place.state + "/control") }
        return engine
    }

    private func addFifty() async throws {
        let names = (0..<50).map { "file \($0)" }
        for name in names { try place.file(name) }
        let processes = try names.map { try place.start("add", place.path($0)) }
        var acknowledged: [String] = []
        for (name, process) in zip(names, processes) {
            let result = try await Workplace.result(of: process)
            #expect(result.ending == .exited(0), "\(name): \(result.errors)")
            if result.ending == .exited(0) { acknowledged.append(name) }
        }
        let list = try await place.list()
        #expect(list.map(\.name).sorted() == acknowledged.sorted())
        #expect(Set(list.map(\.id)).count == list.count)
        print("S13: 50 ferry add at once: \(acknowledged.count) acknowledged, \(list.count) there")
    }

    @Test func `S13 fifty adds at once on a queue without an engine are all there afterwards, once`()
        async throws
    {
        try place.configure("put", at: "http://127.0.0.1:9/")
        try await addFifty()
    }

    @Test func `S13 fifty adds at once on a running queue are all there afterwards, once`() async throws {
        let server = try HostileServer { connection in
            try connection.readHead()
            connection.stall()
        }
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        let engine = try await engine()
        try await addFifty()
        engine.signal(SIGTERM)
        try await engine.ending()
        #expect(try await place.list().count == 50)
    }

    @Test(arguments: [["add", "--again"], ["remove", "1"], ["retry", "1"]])
    func `S13 a command is not repeated if its engine dies before the response`(
        words: [String]
    ) async throws {
        try place.configure("put", at: "http://127.0.0.1:9/")
        try await place.ferry("add", try place.file("a"))
        // A process that has the lock, receives the command and ends without a response.
        let lock = open(place.state + "/lock", O_RDWR | O_CLOEXEC)
        try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
        defer { close(lock) }
        let listener = try ListeningSocket(at: place.state + "/control")
        let asking = try place.start(words[0] == "add" ? words + [try place.file("b")] : words)
        // The first request checks whether an engine responds.
        for _ in 0..<2 { try listener.takeOneLine() }
        listener.stop()
        let result = try await Workplace.result(of: asking)
        #expect(result.ending == .exited(75))
        #expect(
            result.errors.contains("unknown whether this succeeded\nhint: check `ferry list`"),
            "\(result.errors)")
    }

    @Test(.enabled(if: Privilege.has("sleep"), "needs sleep"))
    func `S15 a token command that outlives a killed engine does not hold up the next start`() async throws {
        let mark = place.directory.path("child")
        let command = try place.directory.program(
            "#!/bin/sh\necho $$ > '\(mark).new'; mv '\(mark).new' '\(mark)'; exec sleep 300\n", at: "token")
        try place.configure(
            "put", at: "http://127.0.0.1:9/", more: #", "auth": { "bearer": { "command": ["\#(command)"] } }"#
        )
        try await place.ferry("add", try place.file("a"))
        let engine = try place.start("run", "--json")
        try await Eventually.holds("the token command") { FileManager.default.fileExists(atPath: mark) }
        let child = try #require(
            pid_t(
                try String(contentsOfFile: mark, encoding: .utf8).trimmingCharacters(
                    in: .whitespacesAndNewlines)))
        defer { kill(child, SIGKILL) }
        // The child must not have inherited a descriptor of the state folder.
        let folder = "/proc/\(child)/fd"
        let open = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let held = open.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        #expect(!held.contains { $0.hasPrefix(place.state) }, "\(held)")
        engine.signal(SIGKILL)
        #expect(try await engine.ending() == .killed(SIGKILL))
        try #require(kill(child, 0) == 0)
        let list = try await place.ferry("list", "--json")
        #expect(list.ending == .exited(0), "\(list.errors)")
        let next = try place.start("run", "--json")
        try await Eventually.holds("the control socket") { UnixSocket.accepts(place.state + "/control") }
        #expect(kill(child, 0) == 0, "the child was to be alive all the time")
        next.signal(SIGTERM)
        try await next.ending()
    }
}

/// A Unix socket that accepts commands and never responds.
private final class ListeningSocket: Sendable {
    struct Failed: Error {
        var call: String
    }

    private let descriptor: Int32

    init(at path: String) throws {
        #if os(Linux)
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw Failed(call: "path")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        unlink(path)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(descriptor, 4) == 0 else { throw Failed(call: "bind") }
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Reads one line and closes the connection.
    func takeOneLine() throws {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { throw Failed(call: "accept") }
        defer { close(connection) }
        var byte: UInt8 = 0
        while byte != 0x0A {
            guard read(connection, &byte, 1) == 1 else { throw Failed(call: "read") }
        }
    }

    func stop() { close(descriptor) }
}
