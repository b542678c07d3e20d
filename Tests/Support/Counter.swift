import Synchronization

/// A number that several tasks can increase.
package final class Counter: Sendable {
    private let count = Mutex(0)

    package init() {}

    package var value: Int { count.withLock { $0 } }
    @discardableResult package func add() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
