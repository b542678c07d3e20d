/// An actor that follows a queue's updates, and can take in at once all that has happened until now.
package protocol QueueFollower: Actor {
    /// The task that reads the updates.
    var following: FollowingTask { get set }
    /// False if catching up does not begin to follow again.
    var goesOnFollowing: Bool { get }
    /// Takes the next update.
    func take(_ update: QueueUpdate)
}

/// The newest task that reads updates for a `QueueFollower`.
package struct FollowingTask: Sendable {
    private var task: Task<Void, Never>?
    /// The updates of an earlier task are older than those already taken, and are dropped.
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
    /// Takes each of the updates, in place of those that were followed before.
    package func follow(_ updates: AsyncStream<QueueUpdate>) {
        let number = following.replace()
        following.begin(
            Task { [weak self] in for await update in updates { await self?.take(update, from: number) } })
    }

    /// Takes in all that has happened until now, whether it was read yet or not, and follows what comes then.
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
