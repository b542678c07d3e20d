import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests `ferry wait`.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct WaitTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    /// Waits until a command follows the engine.
    private func isAttached() async throws {
        try await Eventually.holds("a follower") {
            try await place.ferry("status").output.contains("1 screen attached")
        }
    }

    @Test func `it returns when all are done, and names each`() async throws {
        let gate = Gate()
        let server = try HostileServer.answering(201, after: gate)
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"), try place.file("b"))
        try await place.withEngine { _ in
            try await server.wait { $0.count == 2 }
            let wait = try place.start("wait", "1", "2", "--json")
            gate.open()
            #expect(try await wait.ending() == .exited(0))
            let lines = try UploadLine.all(in: wait.output.lines)
            #expect(Set(lines.map(\.id)) == [1, 2] && lines.allSatisfy { $0.state == "done" })
        }
    }

    @Test func `32 screens may be attached, and the next one is refused`() async throws {
        let gate = Gate()
        let server = try HostileServer.answering(201, after: gate)
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        try await place.withEngine { _ in
            try await server.wait { $0.count == 1 }
            let waits = try (1...32).map { _ in try place.start("wait", "1") }
            try await Eventually.holds("32 followers") {
                try await place.ferry("status").output.contains("32 screens attached")
            }
            let next = try await place.ferry("wait", "1")
            #expect(next.ending != .exited(0))
            #expect(next.errors.contains("32 clients are attached already"), "\(next.errors)")
            gate.open()
            for wait in waits { #expect(try await wait.ending() == .exited(0)) }
        }
    }

    @Test func `done ones that leave the queue at once are done all the same`() async throws {
        try await ReceiverSite.with { site in
            try place.configure("put", at: site.url, limits: #"{ "done": 0 }"#)
            try await place.ferry("add", try place.file("a"))
            let wait = try place.start("run", "--exit-when-idle")
            #expect(try await wait.ending() == .exited(0))
            try await place.withEngine { _ in
                try await place.ferry("add", try place.file("b"))
                let result = try await place.ferry("wait", "--all")
                #expect(result.ending == .exited(0), "\(result.output)\(result.errors)")
            }
        }
    }

    @Test func `the exit status shows that an upload failed or was removed`() async throws {
        let gate = Gate()
        let server = try HostileServer.answering(403, after: gate)
        defer { server.stop() }
        try place.configure("put", at: server.url("/"), limits: #"{ "concurrency": 1 }"#)
        try await place.ferry("add", try place.file("a"), try place.file("b"))
        try await place.withEngine { _ in
            try await server.wait { $0.count == 1 }
            let wait = try place.start("wait", "1", "2")
            try await isAttached()
            try await place.ferry("remove", "2")
            gate.open()
            #expect(try await wait.ending() == .exited(1))
            #expect(wait.output.text.contains("2  removed  b"))
            #expect(wait.output.text.contains("403"))
            let stamp = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +\d/
            #expect(wait.output.lines.allSatisfy { $0.prefixMatch(of: stamp) != nil }, "\(wait.output.text)")
        }
    }

    @Test func `without an engine it says that nothing will come`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await place.ferry("add", try place.file("a"))
        let result = try await place.ferry("wait", "--all")
        #expect(result.ending == .exited(3))
        #expect(
            result.errors
                == "error: no engine is running: unfinished uploads cannot finish\nhint: `ferry run --detach` starts one\n"
        )
    }

    @Test func `with nothing left to wait for it returns at once`() async throws {
        #expect(try await place.ferry("wait", "--all").ending == .exited(0))
    }

    @Test func `an upload that failed earlier fails the wait`() async throws {
        let server = try HostileServer([.answer(403)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/"))
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(1))
        let result = try await place.ferry("wait", "--all")
        #expect(result.ending == .exited(1))
        #expect(result.output.contains("failed"))
    }

    @Test func `a number that is not in the queue is an error`() async throws {
        try await place.withEngine { _ in
            let result = try await place.ferry("wait", "9")
            #expect(result.ending == .exited(2))
            #expect(result.errors.hasPrefix("error: there is no upload 9\n"))
            let range = try await place.ferry("wait", "7-9")
            #expect(range.ending == .exited(2))
            #expect(range.errors.hasPrefix("error: there is no upload 7 to 9\n"))
        }
    }

    @Test func `a time limit ends it with the status of timeout(1)`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await place.ferry("add", try place.file("a"))
        try await place.withEngine { _ in
            let result = try await place.ferry("wait", "--all", "--timeout", "0")
            #expect(result.ending == .exited(124))
        }
    }

    @Test func `an engine that is killed is not waited for`() async throws {
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        try await place.ferry("add", try place.file("a"))
        let engine = try place.start("run", "--json")
        try await Eventually.holds("the control socket") { UnixSocket.accepts(place.state + "/control") }
        let wait = try place.start("wait", "--all")
        try await isAttached()
        engine.signal(SIGKILL)
        #expect(try await wait.ending() == .exited(3))
        #expect(wait.errors.text.contains("the engine has gone"))
    }
}
