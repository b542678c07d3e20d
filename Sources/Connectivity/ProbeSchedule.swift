/// Decides when to probe a destination, and whether the destination is reachable. A probe is a test of the connection.
/// Two failures in a row make it unreachable, because a single one can be a lost packet.
package struct ProbeSchedule: Hashable, Sendable {
    /// The number of failures since the last success, at most 31.
    private var failures = 0
    /// The result of the last probe; nil before the first.
    package private(set) var result: Reachability?

    package init() {}

    /// True if fewer than two failures have followed the last success.
    package var isReachable: Bool { failures < 2 }

    /// The time to wait before the next probe; nil if no probe or transfer has failed since the last success. The first
    /// waits are short, because most outages are short, and a probe costs only a packet or two.
    package var delay: Duration? {
        // With waits of 1, 2 and 4 s, a tus upload on a link that works 2 s of 5 took 1.55 times the shortest possible
        // time.
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
        failures = result == .reachable ? 0 : min(failures + 1, 31)
        return isReachable != before
    }

    /// Records that a transfer could not reach the destination, or lost its connection. This counts like a failed probe
    /// until the destination is unreachable. Later losses do not count: transfers in flight often fail together.
    package mutating func recordLostTransfer() {
        if isReachable { failures += 1 }
    }
}
