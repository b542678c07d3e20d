import FerryProtocols
import FerryTestSupport
import Testing

@testable import FerryTransfer

/// Tests a token file whose disk does not respond, with a clock that the test advances.
@Suite(.timeLimit(.minutes(10)))
struct HangingTokenFileTests {
    private let directory: TemporaryDirectory
    private let clock = ManualClock()
    /// The threads of the token file: one of the two is for files on unknown disks.
    private let readers: BlockingIOPool
    private var path: String { directory.path("tokens/here.json") }

    init() throws {
        directory = try TemporaryDirectory()
        readers = BlockingIOPool(limit: 2, timeout: .seconds(30), clock: clock)
    }

    @Test func `a token file that hangs is given up in time, and used when its disk responds`() async throws {
        let (started, gate) = (Gate(), Gate())
        defer { gate.open() }
        let hanging = Task { [readers] in
            await FileCalls(readers).outcome(
                on: "other", late: { _ in UploadFailure(.sourceAway, "late") },
                { () throws(UploadFailure) in
                    started.open()
                    gate.block()
                })
        }
        try await started.wait()
        let endpoint = TokenEndpoint.rotating()
        let file = TokenFile(LocalPath(path), readers: readers) { _ in }
        let authenticator = OAuth2Authenticator(.make(), file: file, transport: endpoint.transport)
        let refresh = Task {
            await #expect(throws: UploadFailure.self) { try await authenticator.refresh(.missing) }
        }
        while readers.awaited < 2 { await Task.yield() }
        for _ in 0..<5 {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(7.5))
        }
        let failure = try #require(await refresh.value)
        #expect(failure.category == .signInAway)
        #expect(
            failure.summary
                == "the file of tokens \(path) cannot be used: its disk or network share has not answered for 30 s"
        )
        #expect(failure.hint?.hasPrefix("see whether it answers") == true)
        #expect(endpoint.all.isEmpty)
        gate.open()
        _ = await hanging.value
        #expect(try await authenticator.refresh(.missing).accessToken == "a1")
    }
}
