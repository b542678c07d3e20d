import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests commands on so many uploads that a journal record has the ranges of their numbers instead of the uploads.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct LongQueueTests {
    private static let count = 1200

    private func longQueue() async throws -> Workplace {
        let place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
        for number in 1...Self.count { try place.file("long/\(number)", "") }
        #expect(try await place.ferry("add", "--recursive", place.path("long")).ending == .exited(0))
        return place
    }

    private func journals(of place: Workplace) throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: place.state)
            .filter { $0.hasSuffix(".jsonl") }
            .map { try String(contentsOfFile: "\(place.state)/\($0)", encoding: .utf8) }.joined()
    }

    @Test func `a pause of a long queue is short, and the next command and the engine read it`() async throws
    {
        let place = try await longQueue()
        #expect(try await place.ferry("pause", "--all").output == "\(Self.count) paused\n")
        #expect(try journals(of: place).contains(#""op":"state","ids":[[1,\#(Self.count)]]"#))
        #expect(try await place.list().map(\.state) == [String](repeating: "paused", count: Self.count))
        try await place.withEngine { _ in
            let again = try await place.ferry("pause", "--all")
            #expect(again.output == "0 paused\n")
        }
        #expect(try await place.ferry("resume", "7").output == "1 resumed\n")
        let queued = try await place.list().filter { $0.state == "queued" }
        #expect(queued.map(\.id) == [7])
    }

    @Test func `a removal of many uploads survives a kill of the engine that made it`() async throws {
        let place = try await longQueue()
        try await place.ferry("pause", "--all")
        try await place.withEngine { engine in
            let removal = try await place.ferry("remove", "1-1100")
            #expect(removal.output == "1100 removed\n")
            engine.signal(SIGKILL)
        }
        #expect(try await place.list().map(\.id) == Array(1101...Self.count))
        #expect(try await place.ferry("state", "verify").ending == .exited(0))
    }
}
