import Dispatch
import Synchronization

/// A pool of threads that open and read files. If the server of a network file system is gone, a system call can block
/// for hours. After a timeout, the caller receives a failure, and the blocked call keeps its thread and its open files
/// until the kernel returns. The pool starts a thread only if no thread is idle.
public final class BlockingIOPool: Sendable {
    /// The pool that callers use by default.
    public static let shared = BlockingIOPool()

    /// The number of checks within the timeout. A job times out after one more successive check without progress, so
    /// that a single jump of the clock causes no timeout.
    private static let looks = 4
    private static let idleTime = DispatchTimeInterval.seconds(10)
    /// The job that the calling thread runs. Outside of a task, Swift stores a task-local value for each thread.
    @TaskLocal private static var current: Job?

    /// A blocking call, and the handler of its timeout.
    private final class Job: Sendable {
        let number: UInt64
        let medium: UInt64?
        let work: @Sendable () -> Void
        let giveUp: @Sendable () -> Void
        /// The number of calls of `beat()` by this job.
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

    private enum Step { case nothing, wake, start }

    /// A job whose caller waits for its result, until it ends or times out.
    private struct Awaited {
        var job: Job
        var hasBegun = false
        /// The value of `beats` at the last check.
        var seen: UInt64 = 0
        /// The number of successive checks without progress: of the job itself, or of others while it waits.
        var silentLooks = 0

        var beats: UInt64 { job.beats.load(ordering: .relaxed) }
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var queued: [Job] = []
        var awaited: [UInt64: Awaited] = [:]
        var threads = 0
        var idleThreads = 0
        /// The number of jobs that occupy a thread, for each device, with those that have timed out.
        var blocking: [UInt64?: Int] = [:]
        /// The devices on which a job has ended since the last check.
        var moved: Set<UInt64?> = []
        var isWatched = false
    }

    private let limit: Int
    package let timeout: Duration
    private let clock: any Clock<Duration>
    private let wakeUp = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The maximum number of threads, at least 2. The jobs on one device occupy at most half of them.
    ///   - timeout: The time without a system call that returns, after which the caller receives a failure, up to half
    ///     of this time later.
    public init(
        limit: Int = 32, timeout: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = max(2, limit)
        self.timeout = max(.milliseconds(1), timeout)
        self.clock = clock
    }

    /// The number of threads, and the number of jobs that have timed out but still occupy a thread.
    package var load: (threads: Int, abandoned: Int) {
        state.withLock { state in
            (state.threads, state.threads - state.idleThreads - state.awaited.values.count { $0.hasBegun })
        }
    }

    /// The number of jobs whose caller still waits for the result.
    package var awaited: Int { state.withLock { $0.awaited.count } }

    /// Records that a system call of the current job has returned. A job with several system calls must call this after
    /// each of them, or it counts as blocked.
    package static func beat() { current?.beats.add(1, ordering: .relaxed) }

    /// Runs `work` on a thread of the pool, so that a blocked device does not block other work. `work` must retain
    /// everything that it uses, because after a timeout it still runs.
    ///
    /// - Parameters:
    ///   - medium: The number of the device that the work reads. All unknown devices (nil) count as one. A blocked
    ///     device leaves half of the threads to others.
    ///   - isWanted: Called right before `work`. If it returns false, neither `work` nor `deliver` is called.
    ///   - silent: Makes the failure after the timeout that it receives.
    ///   - deliver: Receives the outcome, on any thread. After a timeout it can receive the outcome of `work` too.
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
            // Between the timeout and the lock, `submit` has assigned a job to this thread. Its signal follows.
            wakeUp.wait()
        }
    }

    /// Removes and returns the first queued job whose device has not reached its limit of threads. Otherwise counts the
    /// calling thread as idle.
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

    /// Checks the awaited jobs at intervals, while there are any.
    private func watch() async {
        // Intervals are counted, because a deadline would also count the time while the machine is suspended.
        while (try? await clock.sleep(for: timeout / Self.looks)) != nil {
            let (late, isOver) = state.withLock { look(&$0) }
            for job in late { job.giveUp() }
            if isOver { return }
        }
    }

    /// Returns the awaited jobs that have timed out, and whether none is left.
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
                    // The job waits for a thread as long as any other call makes progress.
                    moved.isEmpty
                } else {
                    !moved.contains(awaited.job.medium)
                }
            awaited.seen = awaited.beats
            awaited.silentLooks = isSilent ? awaited.silentLooks + 1 : 0
            state.awaited[number] = awaited
            // The first check may come less than a full interval after the call.
            if awaited.silentLooks > Self.looks { late.append(awaited.job) }
        }
        let numbers = Set(late.map(\.number))
        for number in numbers { state.awaited[number] = nil }
        if !late.isEmpty { state.queued.removeAll { numbers.contains($0.number) } }
        state.isWatched = !state.awaited.isEmpty
        return (late, state.awaited.isEmpty)
    }
}
