/// An actor that processes the updates of an upload queue, to keep up with its state.
package protocol QueueFollower: Actor {
    var following: FollowingTask { get set }
    /// True if `catchUp` is allowed to start a task that reads later updates. False if the actor is stopping.
    var goesOnFollowing: Bool { get }
    func take(_ update: QueueUpdate)
}

/// The newest task that reads updates for a `QueueFollower`.
package struct FollowingTask: Sendable {
    fileprivate var task: Task<Void, Never>?
    /// The number of the current task. Updates from an earlier task are ignored, as they can be older.
    fileprivate private(set) var number = 0

    package init() {}

    package func cancel() { task?.cancel() }

    fileprivate mutating func replace() -> Int {
        task?.cancel()
        number += 1
        return number
    }

}

extension QueueFollower {
    /// Cancels the current task, and starts a task that processes each element of `updates`.
    package func follow(_ updates: AsyncStream<QueueUpdate>) {
        let number = following.replace()
        following.task = Task { [weak self] in
            for await update in updates { await self?.take(update, from: number) }
        }
    }

    /// Processes the current state of the queue, and starts a task that processes later updates, unless the actor is
    /// stopping or another call has replaced this one.
    package func catchUp(with queue: any QueueClient) async {
        let number = following.replace()
        let updates = await queue.updates()
        for await update in updates {
            take(update, from: number)
            break
        }
        if following.number == number, goesOnFollowing { follow(updates) }
    }

    private func take(_ update: QueueUpdate, from number: Int) {
        if following.number == number { take(update) }
    }
}
