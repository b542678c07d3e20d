import FerryTestSupport
import Synchronization
import Testing

@testable import FerryConnectivity

@Suite struct AddressPollMonitorTests {
    /// The interfaces of the machine, which the test sets.
    private final class Machine: Sendable {
        private let table: Mutex<NetworkTable?>

        init(_ table: NetworkTable?) {
            self.table = Mutex(table)
        }

        func read() -> NetworkTable? { table.withLock { $0 } }
        func become(_ table: NetworkTable?) { self.table.withLock { $0 = table } }
    }

    @Test func `a change is seen at the next look`() async throws {
        let (machine, clock) = (Machine(.make(routes: nil)), ManualClock())
        var statuses = AddressPollMonitor(clock: clock) { machine.read() }.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .up(generation: 0))
        machine.become(.make(addresses: [], routes: nil))
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        #expect(await statuses.next() == .down(reason: "no address on any interface"))
    }

    @Test func `a machine that reports nothing is taken to have a network`() async {
        var statuses = AddressPollMonitor(clock: ManualClock()) { nil }.statuses().makeAsyncIterator()
        #expect(await statuses.next() == .up(generation: 0))
    }

    @Test func `the interfaces of this machine include loopback`() throws {
        let table = try #require(NetworkTable.ofThisMachine())
        #expect(table.links.values.contains { $0.isLoopback })
        #expect(table.routes == nil)
    }
}
