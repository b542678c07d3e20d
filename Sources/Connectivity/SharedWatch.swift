import Synchronization

/// Shares one watcher of the status among its readers. It begins with the first reader and ends with the last.
final class SharedWatch: Sendable {
    typealias Status = ConnectivityMonitor.Status
    typealias Source = @Sendable () -> any AsyncSequence<Status, Never> & Sendable

    private struct State {
        var status: Status
        var readers: [Int: AsyncStream<Status>.Continuation] = [:]
        var nextReader = 0
        /// The number of the current watcher. Reports of an earlier watcher are ignored.
        var run = 0
        var watcher: Task<Void, Never>?
    }

    private let source: Source?
    private let initial: Status
    private let state: Mutex<State>

    /// - Parameters:
    ///   - initial: The status while there is no reader.
    ///   - source: Begins the watch; nil if `initial` never changes.
    init(initial: Status = .unknown, source: Source?) {
        self.initial = initial
        self.source = source
        state = Mutex(State(status: initial))
    }

    var status: Status { state.withLock { $0.status } }

    /// Returns a stream of the current status and of each later change. A slow reader receives only the newest status.
    /// The first call opens the source on the calling thread, whose network namespace the source can watch.
    func read() -> AsyncStream<Status> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Status.self, bufferingPolicy: .bufferingNewest(1))
        let (reader, run): (Int, Int?) = state.withLock { state in
            let reader = state.nextReader
            state.nextReader += 1
            let isFirst = state.readers.isEmpty
            state.readers[reader] = continuation
            if state.status != .unknown { continuation.yield(state.status) }
            guard isFirst, source != nil else { return (reader, nil) }
            state.run += 1
            return (reader, state.run)
        }
        continuation.onTermination = { _ in self.leave(reader) }
        if let run { watch(run) }
        return stream
    }

    private func watch(_ run: Int) {
        guard let source else { return }
        // Called outside the lock, because the source is foreign code and may call this object.
        let statuses = source()
        let watcher = Task {
            for await status in statuses { self.tell(status, of: run) }
            self.end(run)
        }
        let isVoid = state.withLock { state in
            guard state.run == run else { return true }
            state.watcher = watcher
            return false
        }
        if isVoid { watcher.cancel() }
    }

    private func leave(_ reader: Int) {
        let watcher: Task<Void, Never>? = state.withLock { state in
            state.readers[reader] = nil
            guard state.readers.isEmpty else { return nil }
            return idle(&state)
        }
        watcher?.cancel()
    }

    private func tell(_ status: Status, of run: Int) {
        let readers: [AsyncStream<Status>.Continuation] = state.withLock { state in
            guard state.run == run, state.status != status else { return [] }
            state.status = status
            return Array(state.readers.values)
        }
        // Called outside the lock: `yield` can wait for a cancelled task, which waits for the lock in `leave`.
        for reader in readers { reader.yield(status) }
    }

    /// Finishes the streams of all readers after the source of the watcher `run` has ended.
    private func end(_ run: Int) {
        let readers: [AsyncStream<Status>.Continuation] = state.withLock { state in
            guard state.run == run else { return [] }
            defer { state.readers = [:] }
            _ = idle(&state)
            return Array(state.readers.values)
        }
        // Called outside the lock, because `finish` calls `leave`, which takes the lock.
        for reader in readers { reader.finish() }
    }

    /// Resets the state, and returns the watcher, which the caller cancels unless it has ended.
    private func idle(_ state: inout State) -> Task<Void, Never>? {
        state.run += 1
        state.status = initial
        defer { state.watcher = nil }
        return state.watcher
    }
}
