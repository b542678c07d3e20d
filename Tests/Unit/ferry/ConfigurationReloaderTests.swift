import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the engine while it reloads its configuration.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationReloaderTests {
    @Test func `a configuration file that hangs delays no other command`() async throws {
        let folder = try TemporaryDirectory()
        try folder.write(Array("{}".utf8), to: "config.json")
        let (reads, reading) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let source = ConfigurationSource(folder.path("config.json")) { _ in
            reading.yield()
            gate.wait()
            gate.signal()
        }
        let state = LocalPath(folder.path("state"))
        let engine = try await Engine.start(
            Assembly(configuration: Configuration(), state: state, source: source), monitor: nil
        )
        let reload = Task { try await engine.configuration.reload() }
        for await _ in reads { break }
        #expect(await engine.client.perform(.pause(.all)) == .changed([]))
        #expect(await engine.client.perform(.add([])) == .changed([]))
        gate.signal()
        #expect(try await reload.value.changes.isEmpty)
        await engine.stop()
    }
}
