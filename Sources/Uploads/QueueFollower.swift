/// An actor that follows a queue's updates, and can process at once everything that has happened until now.
package protocol QueueFollower: Actor {
    /// The task that reads the updates.
    var following: FollowingTask { get set }
    /// False if catching up does not start following again.
    var goesOnFollowing: Bool { get }
    /// Processes the next update.
    func take(_ update: QueueUpdate)
}

/// The newest task that reads updates for a `QueueFollower`.
package struct FollowingTask: Sendable {
    private var task: Task<Void, Never>?
    /// The number of the current task. Updates of an earlier task are older than those already processed, and are
    /// dropped.
    private var number = 0

    package init() {}

    package func cancel() { task?.cancel() }

    fileprivate mutating func replace() -> Int {
        task?.cancel()
        number += 1
        return number
    }

    fileprivate func isNewest(_ other: Int) -> Bool { other == number }
    fileprivate mutating func begin(_ new: Task<Void, Never>) { task = new }
}

extension QueueFollower {
    /// Follows these updates in place of earlier ones.
    package func follow(_ updates: AsyncStream<QueueUpdate>) {
        let number = following.replace()
        following.begin(
            Task { [weak self] in for await update in updates { await self?.take(update, from: number) } })
    }

    /// Processes everything that has happened until now, whether it was read yet or not, and follows later updates.
    package func catchUp(with queue: any QueueClient) async {
        let number = following.replace()
        let updates = await queue.updates()
        for await update in updates {
            take(update, from: number)
            break
        }
        if following.isNewest(number), goesOnFollowing { follow(updates) }
    }

    private func take(_ update: QueueUpdate, from number: Int) {
        if following.isNewest(number) { take(update) }
    }
}
