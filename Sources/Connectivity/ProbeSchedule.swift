/// When to probe a destination again, and what the answers so far amount to. Pure.
///
/// Two failures in a row make a destination unreachable, since one may be a lost packet; one success makes it
/// reachable at once. Until something fails it is taken to be reachable and need not be probed.
public struct ProbeSchedule: Hashable, Sendable {
    private enum State: Hashable, Sendable {
        case reachable
        case doubtful
        case unreachable(failures: Int)
    }

    private var state = State.reachable

    public init() {}

    /// What the answers so far amount to; true before the first.
    public var isReachable: Bool {
        switch state {
        case .reachable, .doubtful: true
        case .unreachable: false
        }
    }

    /// How long to wait before the next probe: 1 s after a first failure, then 2, 4, 8, 16, and 30 from then on; nil
    /// while nothing has failed.
    public var delay: Duration? {
        switch state {
        case .reachable: nil
        case .doubtful: .seconds(1)
        case .unreachable(let failures): failures > 5 ? .seconds(30) : .seconds(1 << (failures - 1))
        }
    }

    /// Takes in an answer. What a transfer found out counts as well as what a probe did.
    /// - Returns: Whether `isReachable` has changed.
    @discardableResult
    public mutating func record(_ answer: Reachability) -> Bool {
        let before = isReachable
        switch (answer, state) {
        case (.reachable, _): state = .reachable
        case (_, .reachable): state = .doubtful
        case (_, .doubtful): state = .unreachable(failures: 2)
        // Beyond six the delay no longer grows, and the count need not either.
        case (_, .unreachable(let failures)): state = .unreachable(failures: min(failures + 1, 6))
        }
        return isReachable != before
    }
}
