import FerryTestSupport
import Testing

@testable import FerryUploads

struct HostConcurrencyTests {
    private static func at(_ seconds: Double) -> ManualClock.Instant { .init(offset: .seconds(seconds)) }

    /// Returns the state after timeouts at these seconds, each with the number of uploads running at that time.
    private static func after(_ timeouts: [(Double, running: Int)]) -> HostConcurrency<ManualClock.Instant> {
        var host = HostConcurrency<ManualClock.Instant>()
        for (second, running) in timeouts { host.timedOut(running: running, at: at(second)) }
        return host
    }

    @Test func `N4 timeouts at one moment are one timeout and change nothing`() {
        let host = Self.after([(0, 4), (0, 3), (0, 2), (0, 1), (9, 1)])
        #expect(host.limit(at: Self.at(9)) == nil)
    }

    @Test func `N4 a second timeout within a minute leaves half of what ran, and never none`() {
        #expect(Self.after([(0, 4), (30, 4)]).limit(at: Self.at(30)) == 2)
        #expect(Self.after([(0, 4), (30, 4), (49, 2)]).limit(at: Self.at(49)) == 1)
        #expect(Self.after([(0, 4), (30, 4), (49, 2), (60, 1)]).limit(at: Self.at(60)) == 1)
    }

    @Test func `N4 half is of all that ran, not of the last one that timed out`() {
        #expect(Self.after([(0, 16), (1, 8), (2, 1), (30, 1)]).limit(at: Self.at(30)) == 8)
    }

    @Test func `N4 timeouts more than a minute apart have nothing to do with each other`() {
        #expect(Self.after([(0, 4), (60, 4)]).limit(at: Self.at(60)) == nil)
    }

    @Test func `N4 without timeouts one more may run every twenty seconds, whether anything moves or not`() {
        let host = Self.after([(0, 4), (30, 4)])
        #expect([49, 50, 69, 70].map { host.limit(at: Self.at($0)) } == [2, 3, 3, 4])
        #expect(host.nextRise(after: Self.at(30)) == Self.at(50))
        #expect(host.nextRise(after: Self.at(69)) == Self.at(70))
        #expect(!host.isOver(at: Self.at(200)))
        #expect(host.isOver(at: Self.at(30 + 64 * 20)))
        #expect(host.nextRise(after: Self.at(30 + 64 * 20)) == nil)
    }
}
