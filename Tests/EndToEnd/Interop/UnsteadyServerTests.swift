import FerryTestSupport
import Foundation
import Testing

/// Tests servers that are slow, are restarted repeatedly or lose connections.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct UnsteadyServerTests {
    private let place: Workplace
    private let inbox: String

    init() throws {
        place = try Workplace()
        inbox = try place.folder("inbox")
    }

    private func receiver(at port: Int) async throws -> ChildProcess {
        let server = try place.start(
            "serve", "--no-token", "--directory", inbox, "--bind", "127.0.0.1:\(port)")
        try await server.output.wait { $0.contains { $0.hasPrefix("receiving into ") } }
        return server
    }

    /// Returns the number of bytes of unfinished uploads.
    private func partSize() -> Int {
        let folder = inbox + "/.ferry"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    @Test(arguments: ["tus", "resumable"])
    func `N16 a receiver that is killed and started anew five times in an upload gets hardly a byte twice`(
        protocolName: String
    ) async throws {
        let (size, kills) = (40 << 20, 5)
        let port = try InteropServer.freePort()
        var server = try await receiver(at: port)
        // The link has no faults. It only counts bytes.
        let link = try FaultyLink(to: port, LinkFaults())
        defer { link.stop() }
        try place.configure(
            protocolName, at: "http://127.0.0.1:\(link.port)/\(protocolName == "tus" ? "files/" : "")",
            limits: #"{ "bandwidth": "10M" }"#)
        try place.file("large", "")
        _ = try PatternFile(at: place.path("large"), count: size, seed: 8)
        try await place.ferry("add", place.path("large"))
        let engine = try place.start("run", "--json", "--exit-when-idle")
        var atLastKill = 0
        for kill in 1...kills {
            // There are more bytes than at the last kill, so the upload has resumed.
            try await Eventually.holds("enough for kill \(kill)") {
                partSize() > max(size / 7 * kill, atLastKill)
            }
            server.signal(SIGKILL)
            try await server.ending()
            atLastKill = partSize()
            server = try await receiver(at: port)
        }
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        #expect(await ChildProcess.succeeds("cmp", place.path("large"), inbox + "/large"))
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "done")
        #expect(upload.resumes >= kills)
        let twice = link.bytesThrough - size
        // The bytes between the link and the receiver are lost at each kill.
        #expect(twice <= size / 100 + kills * (1 << 20), "\(twice)")
        print(
            "N16: \(protocolName), receiver killed \(kills) times: \(twice) of \(link.bytesThrough) bytes more than the file's"
        )
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test(arguments: ["tus", "resumable"])
    func `N16 with every fifth upload's connection dying all arrive, and hardly a byte goes twice`(
        protocolName: String
    ) async throws {
        let (count, size, cuts) = (40, 1 << 20, 8)
        let port = try InteropServer.freePort()
        let server = try await receiver(at: port)
        var faults = LinkFaults()
        faults.downtime = .zero
        // A reset would discard the bytes in the receiver's buffers, which are more on a busy machine.
        faults.ending = .close
        var random = SeededGenerator(seed: 16)
        // There is one cut in each five files.
        faults.cutsAfter = (0..<cuts).map {
            $0 * 5 * size + Int.random(in: size / 10..<5 * size, using: &random)
        }
        let link = try FaultyLink(to: port, faults)
        defer { link.stop() }
        try place.configure(
            protocolName, at: "http://127.0.0.1:\(link.port)/\(protocolName == "tus" ? "files/" : "")",
            limits: #"{ "concurrency": 1 }"#)
        let names = (0..<count).map { "file\($0)" }
        for (number, name) in names.enumerated() {
            try place.file(name, "")
            _ = try PatternFile(at: place.path(name), count: size, seed: UInt64(number))
        }
        let added = try place.start(["add"] + names.map(place.path))
        #expect(try await added.ending() == .exited(0))
        let result = try await place.ferry("run", "--json", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(link.cutCount == cuts)
        for name in names {
            #expect(await ChildProcess.succeeds("cmp", place.path(name), "\(inbox)/\(name)"))
        }
        let twice = link.bytesThrough - count * size
        // Each cut loses the bytes that the receiver has not written. They are more on a busy machine, but much less
        // than the half of a file that each cut would cost without resuming.
        #expect(twice <= count * size / 100 + cuts * 262_144, "\(twice)")
        let more = try await place.list().map(\.attempts).reduce(0, +) - count
        print(
            "N16: \(protocolName), \(cuts) breaks in \(count) files: \(more) attempts and \(twice) bytes more"
        )
        server.signal(SIGTERM)
        try await server.ending()
    }

    @Test func `N6 a server that reads slowly takes one slot, and uploads to others run in the rest`()
        async throws
    {
        let gate = Gate()
        let slow = try HostileServer(
            receiveBuffer: 65_536, [.pauseReading(afterBodyBytes: 1000, until: gate, then: 201)])
        let quick = try HostileServer(Array(repeating: .answer(201), count: 5))
        defer {
            slow.stop()
            quick.stop()
        }
        try place.configure(
            """
            { "destinations": { "slow": { "url": "\(slow.url("/"))", "protocol": "put" },
                "quick": { "url": "\(quick.url("/"))", "protocol": "put" } }, "limits": { "concurrency": 2 } }
            """)
        try place.file("large", "")
        _ = try PatternFile(at: place.path("large"), count: 32 << 20, seed: 2)
        try await place.ferry("add", "--to", "slow", place.path("large"))
        for name in 1...5 { try await place.ferry("add", "--to", "quick", try place.file("file\(name)")) }
        let engine = try place.start("run", "--json", "--exit-when-idle")
        try await Eventually.holds("five at the quick server") {
            try await place.list().map(\.state) == ["running"] + Array(repeating: "done", count: 5)
        }
        gate.open()
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        #expect(slow.requests.map(\.bodyByteCount) == [32 << 20])
        #expect(try await place.list().allSatisfy { $0.attempts == 1 })
    }
}
