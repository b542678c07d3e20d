import FerryProtocols
import FerryUploads
import Testing

@testable import FerryTUI

/// Tests the progress of uploads without the whole screen.
struct LiveModelTests {
    private static let size: ByteCount = 10_000

    private static func update(_ changed: Upload...) -> QueueUpdate {
        QueueUpdate(isComplete: false, changed: changed, removed: [], status: EngineStatus())
    }

    /// Returns a running upload of which 4,000 bytes are sent and 3,000 confirmed.
    private static func running() -> (live: LiveModel, table: UploadTable) {
        var (live, table) = (LiveModel(), UploadTable())
        let upload = Upload.make(1, size: size, state: .running, confirmed: 0)
        table.apply(update(upload))
        live.take(update(upload), in: table, clock: .at(0))
        _ = live.take(
            [ProgressSample(id: 1, sent: 4000, confirmed: 3000, phase: .sending)], in: table, limits: [:],
            now: Clock.at(1).seconds)
        return (live, table)
    }

    @Test func `samples are wanted a quarter of a second after the last ones`() {
        let (live, _) = Self.running()
        #expect(!live.wantsSamples(at: Clock.at(1.1).seconds))
        #expect(live.wantsSamples(at: Clock.at(1.25).seconds))
    }

    @Test func `sent bytes no longer count as remaining`() {
        let (live, table) = Self.running()
        #expect(live.remaining(in: table).total == 6000)
    }

    @Test func `an upload that pauses keeps what it has reached if it can resume`() {
        var (live, table) = Self.running()
        let paused = Upload.make(1, size: Self.size, state: .paused(.user), confirmed: 3000)
        live.prepare(for: Self.update(paused), in: table)
        table.apply(Self.update(paused))
        live.take(Self.update(paused), in: table, clock: .at(2))
        #expect(live.progress.isEmpty)
        #expect(live.reached[1] == 4000)
        #expect(live.stored(paused) == 4000)
    }

    @Test func `an engine that is gone leaves bars where they were and no rates`() {
        var (live, table) = Self.running()
        let still = live.standStill(in: table, now: Clock.at(2).seconds)
        #expect(still[1] == TransferRate(sent: 4000))
        #expect(live.estimates.total.rate == nil)
        table.apply(QueueUpdate(isComplete: true, changed: [], removed: [], status: EngineStatus()))
        #expect(live.progress.isEmpty)
    }
}
