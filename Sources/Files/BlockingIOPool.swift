import Dispatch
import Synchronization

/// Threads on which files are opened and read, because the medium may not answer: a network file system whose server
/// is gone holds a call for hours, and nothing can take it back.
///
/// Whoever waits for such a call is told after a while that nothing comes. The call keeps its thread, and all that it
/// uses stays open, until the kernel lets go. There are more threads only when there is more to wait for.
public final class BlockingIOPool: Sendable {
    /// The pool that callers without one of their own share.
    public static let shared = BlockingIOPool()

    /// A silent call is looked at this often within the timeout, so that no clock that jumped decides.
    private static let looks = 4
    /// A thread that has had nothing to do for so long ends.
    private static let idleTime = DispatchTimeInterval.seconds(10)
    /// The work of the thread that asks. Set outside of tasks it belongs to the thread.
    @TaskLocal private static var current: Job?

    /// Work that blocks, and who waits for it.
    private final class Job: Sendable {
        let number: UInt64
        let medium: UInt64?
        let work: @Sendable () -> Void
        let giveUp: @Sendable () -> Void
        /// Calls to the system that have come back.
        let beats = Atomic<UInt64>(0)

        init(
            number: UInt64, medium: UInt64?, work: @escaping @Sendable () -> Void,
            giveUp: @escaping @Sendable () -> Void
        ) {
            self.number = number
            self.medium = medium
            self.work = work
            self.giveUp = giveUp
        }
    }

    /// The effect of a new job on the pool's threads.
    private enum Step { case nothing, wake, start }

    /// A job whose caller waits for its result. It is here from the call until it is done or given up.
    private struct Awaited {
        var job: Job
        var hasBegun = false
        /// The beats of the job at the last look, and the number of looks that have seen no other.
        var seen: UInt64 = 0
        var silentLooks = 0

        var beats: UInt64 { job.beats.load(ordering: .relaxed) }
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var queued: [Job] = []
        var awaited: [UInt64: Awaited] = [:]
        var threads = 0
        var idleThreads = 0
        /// Calls that hold a thread, by medium, also those that nobody waits for any more.
        var blocking: [UInt64?: Int] = [:]
        /// Media of which a call came back since the last look.
        var moved: Set<UInt64?> = []
        var isWatched = false
    }

    private let limit: Int
    private let timeout: Duration
    private let clock: any Clock<Duration>
    private let wakeUp = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Threads at most; half of them for any one medium.
    ///   - timeout: How long a single call to the system may take before nobody waits for it any more.
    public init(
        limit: Int = 32, timeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = max(2, limit)
        self.timeout = max(.milliseconds(1), timeout)
        self.clock = clock
    }

    /// Threads that there are, and calls that hold one although nobody waits for them any more.
    package var load: (threads: Int, abandoned: Int) {
        state.withLock { state in
            (
                state.threads,
                state.threads - state.idleThreads - state.awaited.values.count { $0.hasBegun }
            )
        }
    }

    /// Calls that somebody waits for.
    package var awaited: Int { state.withLock { $0.awaited.count } }

    /// Called by work that makes several calls to the system, after each of them: it is slow then and does not hang.
    package static func beat() { current?.beats.add(1, ordering: .relaxed) }

    /// Does `work` where waiting for a medium keeps nobody else. It must hold on to all that it uses, since it may be
    /// under way when its outcome is known already.
    ///
    /// - Parameters:
    ///   - medium: The device that is waited for; one that hangs leaves threads to the others. All that are not known
    ///     count as one.
    ///   - isWanted: Asked before the work begins; if it says no, nothing is delivered.
    ///   - silent: What the outcome is if a call takes longer than the timeout, which is handed over.
    ///   - deliver: Receives the outcome, on any thread; after `silent` perhaps once more.
    package func submit<Value: Sendable, Failure: Error>(
        on medium: UInt64?, isWanted: @escaping @Sendable () -> Bool,
        _ work: @escaping @Sendable () throws(Failure) -> Value,
        silent: @escaping @Sendable (Duration) -> Failure,
        deliver: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        let timeout = timeout
        let (next, watches): (Step, Bool) = state.withLock { state in
            state.lastNumber += 1
            let job = Job(
                number: state.lastNumber, medium: medium,
                work: { if isWanted() { deliver(Result { () throws(Failure) in try work() }) } },
                giveUp: { deliver(.failure(silent(timeout))) })
            state.queued.append(job)
            state.awaited[job.number] = Awaited(job: job)
            let watches = !state.isWatched
            state.isWatched = true
            guard hasRoom(for: medium, state) else { return (.nothing, watches) }
            if state.idleThreads > 0 {
                state.idleThreads -= 1
                return (.wake, watches)
            }
            guard state.threads < limit else { return (.nothing, watches) }
            state.threads += 1
            return (.start, watches)
        }
        switch next {
        case .nothing: break
        case .wake: wakeUp.signal()
        case .start: DetachedThread.start { self.work() }
        }
        if watches { Task.detached { await self.watch() } }
    }

    private func hasRoom(for medium: UInt64?, _ state: State) -> Bool {
        state.blocking[medium, default: 0] < limit / 2
    }

    /// The loop of one thread: takes jobs until the pool is idle for long enough.
    private func work() {
        while true {
            while let job = take() {
                Self.$current.withValue(job) { job.work() }
                end(job)
            }
            guard wakeUp.wait(timeout: .now() + Self.idleTime) == .timedOut else { continue }
            let isDismissed = state.withLock { state in
                guard state.idleThreads > 0 else { return false }
                state.idleThreads -= 1
                state.threads -= 1
                return true
            }
            if isDismissed { return }
            // Somebody has just counted on this thread.
            wakeUp.wait()
        }
    }

    /// The first job that may begin; without one, the thread counts as idle.
    private func take() -> Job? {
        state.withLock { state in
            guard let index = state.queued.firstIndex(where: { hasRoom(for: $0.medium, state) }) else {
                state.idleThreads += 1
                return nil
            }
            let job = state.queued.remove(at: index)
            state.awaited[job.number]?.hasBegun = true
            state.awaited[job.number]?.silentLooks = 0
            state.blocking[job.medium, default: 0] += 1
            return job
        }
    }

    private func end(_ job: Job) {
        state.withLock { state in
            state.moved.insert(job.medium)
            state.awaited[job.number] = nil
            guard let count = state.blocking[job.medium] else { return }
            state.blocking[job.medium] = count > 1 ? count - 1 : nil
        }
    }

    /// Looks after what is waited for, for as long as something is.
    private func watch() async {
        // In turns instead of by deadlines: after a machine has slept, every call gets its time all the same.
        while (try? await clock.sleep(for: timeout / Self.looks)) != nil {
            let (late, isOver) = state.withLock { look(&$0) }
            for job in late { job.giveUp() }
            if isOver { return }
        }
    }

    /// - Returns: What has been silent for too long, and whether nothing is waited for any more.
    private func look(_ state: inout State) -> (late: [Job], isOver: Bool) {
        var moved = state.moved
        state.moved = []
        for awaited in state.awaited.values where awaited.beats != awaited.seen {
            moved.insert(awaited.job.medium)
        }
        var late: [Job] = []
        for (number, var awaited) in state.awaited {
            let isSilent =
                if awaited.hasBegun {
                    awaited.beats == awaited.seen
                } else if hasRoom(for: awaited.job.medium, state) {
                    // It waits for a thread, and may as long as there are some that get on.
                    moved.isEmpty
                } else {
                    !moved.contains(awaited.job.medium)
                }
            awaited.seen = awaited.beats
            awaited.silentLooks = isSilent ? awaited.silentLooks + 1 : 0
            state.awaited[number] = awaited
            // The first look comes less than a whole turn after the call.
            if awaited.silentLooks > Self.looks { late.append(awaited.job) }
        }
        let numbers = Set(late.map(\.number))
        for number in numbers { state.awaited[number] = nil }
        if !late.isEmpty { state.queued.removeAll { numbers.contains($0.number) } }
        state.isWatched = !state.awaited.isEmpty
        return (late, state.awaited.isEmpty)
    }
}
