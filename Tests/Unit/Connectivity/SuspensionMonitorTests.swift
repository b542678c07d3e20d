import FerryTestSupport
import Synchronization
import Testing

@testable import FerryConnectivity

@Suite struct SuspensionMonitorTests {
    /// A machine whose sleeps the test decides, with a monitor that looks at its clocks.
    private final class Machine: Sendable {
        private let slept = Mutex(Duration.zero)
        let clock = ManualClock()

        var monitor: SuspensionMonitor {
            SuspensionMonitor(
                asleep: { self.slept.withLock { $0 } },
                pause: { [clock] in try await clock.sleep(until: clock.now.advanced(by: $0)) })
        }

        func sleep(_ time: Duration) async throws {
            try await clock.waitForSleepers()
            slept.withLock { $0 += time }
            clock.advance(by: .seconds(2))
        }
    }

    @Test func `N5 a machine that slept is noticed at the next look, with how long`() async throws {
        let machine = Machine()
        var suspensions = machine.monitor.suspensions().makeAsyncIterator()
        try await machine.sleep(.seconds(3600))
        #expect(await suspensions.next() == .seconds(3600))
    }

    @Test func `N5 clocks that were only read one after the other show no sleep`() async throws {
        let machine = Machine()
        var suspensions = machine.monitor.suspensions().makeAsyncIterator()
        try await machine.sleep(.milliseconds(4999))
        try await machine.sleep(.seconds(5))
        #expect(await suspensions.next() == .seconds(5))
    }

    @Test func `N5 each sleep counts from the one before`() async throws {
        let machine = Machine()
        var suspensions = machine.monitor.suspensions().makeAsyncIterator()
        try await machine.sleep(.seconds(60))
        try await machine.sleep(.seconds(7))
        #expect(await suspensions.next() == .seconds(60))
        #expect(await suspensions.next() == .seconds(7))
    }
}
