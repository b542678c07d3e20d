/// A schedule of probes of a destination, and the conclusion from the answers so far. Pure.
///
/// Two failures in a row make a destination unreachable, since one may be a lost packet; one success makes it
/// reachable at once. Until something fails it is taken to be reachable and need not be probed.
public struct ProbeSchedule: Hashable, Sendable {
    /// Failures since the last success.
    private var failures = 0
    /// The result of the last probe; nil before the first.
    public private(set) var answer: Reachability?

    public init() {}

    /// True unless the answers so far mean that the destination is unreachable; true before the first.
    public var isReachable: Bool { failures < 2 }

    /// The time to wait before the next probe; nil while nothing has failed.
    ///
    /// Most outages are short, and one probe a host costs a packet or two. So there are four a second for two seconds,
    /// two a second for four more, and one a second for ten. The waits are then 2, 4, 8 and 16 seconds, and 30 from
    /// then on. (With 2 s of link after every 3 s without, waiting 1, 2, 4 s instead made a tus upload take 1.55 times
    /// as long as the link allowed.)
    public var delay: Duration? {
        switch failures {
        case ...0: nil
        case ...8: .milliseconds(250)
        case ...16: .milliseconds(500)
        case ...26: .seconds(1)
        case ...30: .seconds(1 << (failures - 26))
        default: .seconds(30)
        }
    }

    /// Takes in what a probe found out, or that a transfer reached the destination.
    /// - Returns: Whether `isReachable` has changed.
    @discardableResult
    public mutating func record(_ answer: Reachability) -> Bool {
        let before = isReachable
        self.answer = answer
        // The delay grows no more beyond these, and the count need not either.
        failures = answer == .reachable ? 0 : min(failures + 1, 31)
        return isReachable != before
    }

    /// A transfer could not reach the destination, or lost it.
    ///
    /// That counts like a probe's answer until the destination is unreachable. Only probes say for how long it stays so:
    /// all transfers in flight fail in the same moment, which is one observation.
    public mutating func recordLostTransfer() {
        if isReachable { failures += 1 }
    }
}
