import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests commands for a stopped engine (SIGSTOP), which keeps its connections but does not respond.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct FrozenEngineTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/")
    }

    @Test(arguments: ["status", "list", "limit", "wait --all", "reload", "screen"])
    func `a command says soon that the engine does not respond, and how to resume it`(
        command: String
    ) async throws {
        try await place.withEngine { engine in
            engine.standStill()
            let asked = ContinuousClock.now
            let words = command.split(separator: " ").map(String.init)
            let status = try await Workplace.result(of: try place.start(words))
            #expect(status.ending == .exited(75))
            #expect(status.errors.contains("the engine does not answer (process "), "\(status.errors)")
            #expect(status.errors.contains("kill -CONT"))
            // The command waits for three seconds.
            #expect(.now - asked < .seconds(20))
            engine.signal(SIGCONT)
            guard command != "screen" else { return }
            // On a busy machine the engine may take longer to go on than one command waits.
            var ending = ChildProcess.Ending.exited(75)
            for _ in 1...20 where ending == .exited(75) {
                ending = try await Workplace.result(of: try place.start(words)).ending
            }
            #expect(ending == .exited(0))
        }
    }
}

/// Compares the reported progress of a running upload with the bytes at the server.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ReportedProgressTests {
    private struct Status: Decodable {
        struct Uploads: Decodable { var bytesLeft: Double }
        var uploads: Uploads
        var rate: Double?
        var eta: Double?
    }

    private struct Row: Decodable {
        var id: Int
        var sent: Int
        var size: Int
        var resent: Int
        var rate: Double?
        var eta: Double?
    }

    @Test func `list and status estimate by the limit that holds, and count no byte twice`() async throws {
        let place = try Workplace()
        try await ReceiverSite.with { site in
            try place.configure("tus", at: site.tusURL)
            try place.file("large.bin", "")
            _ = try PatternFile(at: place.path("large.bin"), count: 60 << 20)
            try await place.ferry("add", place.path("large.bin"))
            try await place.ferry("limit", "1M")
            try await place.withEngine { _ in
                try await estimates(place, limit: 1_048_576)
                try await place.ferry("limit", "3M")
                try await estimates(place, limit: 3_145_728)
                try await place.ferry("pause", "--all")
                #expect(try await status(place).eta == nil)
                try await place.ferry("resume", "--all")
                try await place.ferry("limit", "off")
                #expect(try await place.ferry("wait", "--all").ending == .exited(0))
                let row = try await row(place)
                #expect(row.sent == row.size)
                #expect(row.rate == nil && row.eta == nil)
            }
        }
    }

    /// Waits until the estimates are right. On a busy machine this may take more than five seconds.
    private func estimates(_ place: Workplace, limit: Double) async throws {
        var last = -1
        try await Eventually.holds("an estimate by \(limit)") {
            let (status, row) = (try await status(place), try await row(place))
            #expect(row.sent >= last && row.sent <= row.size)
            last = row.sent
            guard let eta = status.eta, let own = row.eta, let rate = status.rate else { return false }
            let truth = status.uploads.bytesLeft / limit
            return abs(eta - truth) / truth < 0.15 && abs(own - truth) / truth < 0.15
                && abs(rate - limit) / limit < 0.25
        }
    }

    private func status(_ place: Workplace) async throws -> Status {
        let output = try await place.ferry("status", "--json").output
        return try JSONDecoder().decode(Status.self, from: Data(output.utf8))
    }

    private func row(_ place: Workplace) async throws -> Row {
        let output = try await place.ferry("list", "--json").output
        return try JSONDecoder().decode(Row.self, from: Data(output.utf8))
    }
}
