/// An actor that processes the updates of a queue. `catchUp` returns once the actor has processed the current state of
/// the queue.
package protocol QueueFollower: Actor {
    /// The task that reads the updates.
    var following: FollowingTask { get set }
    /// False if `catchUp` must not continue to read updates, because the actor is stopping.
    var goesOnFollowing: Bool { get }
    /// Processes the next update.
    func take(_ update: QueueUpdate)
}

/// The newest task that reads updates for a `QueueFollower`.
package struct FollowingTask: Sendable {
    private var task: Task<Void, Never>?
    /// The number of the current task. Updates that an earlier task reads are dropped, because newer ones may have been
    /// processed already.
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
    /// Cancels the current task, and starts a task that processes these updates.
    package func follow(_ updates: AsyncStream<QueueUpdate>) {
        let number = following.replace()
        following.begin(
            Task { [weak self] in for await update in updates { await self?.take(update, from: number) } })
    }

    /// Processes the current state of the queue, starts a task that follows later updates, and returns.
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
