/// The schedule for the connection tests (probes) of a destination, and the conclusion whether the destination is
/// reachable.
///
/// Two failures in a row make a destination unreachable, since one may be a lost packet; one success makes it reachable
/// at once. Until the first failure the destination counts as reachable and needs no probe.
package struct ProbeSchedule: Hashable, Sendable {
    /// The number of failures since the last success, at most 31. A lost transfer counts only while the destination
    /// counts as reachable.
    private var failures = 0
    /// The result of the last probe; nil before the first.
    package private(set) var result: Reachability?

    package init() {}

    /// True if fewer than two failures have followed the last success. Before any failure, it is true.
    package var isReachable: Bool { failures < 2 }

    /// The time to wait before the next probe; nil if no probe or transfer has failed since the last success.
    ///
    /// Most outages are short, and one probe of a host costs a packet or two. So the schedule has four probes a second
    /// for two seconds, two a second for four more, and one a second for ten. The waits are then 2, 4, 8 and 16
    /// seconds, and 30 from then on. Longer waits in the first seconds would delay uploads. On a link that works for
    /// 2 s after every 3 s of outage, waits of 1, 2 and 4 s made a tus upload take 1.55 times the shortest possible
    /// time.
    package var delay: Duration? {
        switch failures {
        case ...0: nil
        case ...8: .milliseconds(250)
        case ...16: .milliseconds(500)
        case ...26: .seconds(1)
        case ...30: .seconds(1 << (failures - 26))
        default: .seconds(30)
        }
    }

    /// Records the result of a probe, or that a transfer reached the destination.
    /// - Returns: True if `isReachable` has changed.
    @discardableResult
    package mutating func record(_ result: Reachability) -> Bool {
        let before = isReachable
        self.result = result
        // The delay no longer grows after 31 failures, so the count stops there.
        failures = result == .reachable ? 0 : min(failures + 1, 31)
        return isReachable != before
    }

    /// Records that a transfer could not reach the destination, or lost its connection.
    ///
    /// Each loss counts like a failed probe until the destination is unreachable. Later losses do not count: transfers
    /// in flight often fail together, and would make the waits between probes longer.
    package mutating func recordLostTransfer() {
        if isReachable { failures += 1 }
    }
}
