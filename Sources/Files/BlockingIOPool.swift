import Dispatch
import Synchronization

/// A pool of threads that open and read files. If the server of a network file system is gone, a system call can block
/// for hours, and no other thread can cancel it.
///
/// After a timeout, the caller receives a failure. The blocked call keeps its thread and its open files until the
/// kernel returns. The pool starts a thread only if no thread is idle.
public final class BlockingIOPool: Sendable {
    /// The pool that callers use by default.
    public static let shared = BlockingIOPool()

    /// The number of intervals into which the timeout is divided. The pool checks each job after every interval. A job
    /// times out after `looks` + 1 successive checks without progress. So a single jump of the clock causes no timeout.
    private static let looks = 4
    private static let idleTime = DispatchTimeInterval.seconds(10)
    /// The job that the calling thread runs; nil on threads without a job. Outside of a task, Swift stores a task-local
    /// value for each thread.
    @TaskLocal private static var current: Job?

    /// A blocking call, and the handler of its timeout.
    private final class Job: Sendable {
        let number: UInt64
        /// The number of the device that the call reads; nil if it is unknown.
        let medium: UInt64?
        let work: @Sendable () -> Void
        let giveUp: @Sendable () -> Void
        /// The number of calls of `beat()` by this job. Each of them means that a system call has returned.
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

    /// The pool's action for a new job.
    private enum Step { case nothing, wake, start }

    /// A job whose caller waits for its result. It stays in `State.awaited` until it ends or times out.
    private struct Awaited {
        var job: Job
        var hasBegun = false
        /// The value of `beats` at the last check.
        var seen: UInt64 = 0
        /// The number of successive checks that found no progress. Progress resets the number to 0. For a job that has
        /// begun, only its own progress counts. For a job that still waits for a thread, the progress of other jobs
        /// counts.
        var silentLooks = 0

        var beats: UInt64 { job.beats.load(ordering: .relaxed) }
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var queued: [Job] = []
        var awaited: [UInt64: Awaited] = [:]
        var threads = 0
        var idleThreads = 0
        /// The number of jobs that occupy a thread, for each device. Jobs that have timed out count too.
        var blocking: [UInt64?: Int] = [:]
        /// The devices on which a job has ended since the last check.
        var moved: Set<UInt64?> = []
        var isWatched = false
    }

    private let limit: Int
    /// The time without progress after which a caller receives a failure.
    package let timeout: Duration
    private let clock: any Clock<Duration>
    private let wakeUp = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: The maximum number of threads; a number below 2 counts as 2. The jobs on one device occupy at most
    ///     half of the threads.
    ///   - timeout: The time without progress after which the caller receives a failure. A system call that returns is
    ///     progress. The failure can come up to half of this time later.
    ///   - clock: The clock that measures the timeout.
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
            (
                state.threads,
                state.threads - state.idleThreads - state.awaited.values.count { $0.hasBegun }
            )
        }
    }

    /// The number of jobs whose caller still waits for the result.
    package var awaited: Int { state.withLock { $0.awaited.count } }

    /// Records that a system call of the current job has returned; does nothing on a thread without a job. A job that
    /// makes several system calls must call `beat` after each of them. Otherwise the pool regards the job as blocked.
    package static func beat() { current?.beats.add(1, ordering: .relaxed) }

    /// Runs `work` on a thread of the pool, so that a blocked device does not block other work. `work` must retain
    /// everything that it uses, because after a timeout it still runs.
    ///
    /// - Parameters:
    ///   - medium: The number of the device that the work reads; nil if it is unknown. A blocked device leaves half of
    ///     the threads to other devices. All unknown devices count as one.
    ///   - isWanted: Called right before `work`. If it returns false, neither `work` nor `deliver` is called. If the
    ///     job timed out before, `deliver` has already received the failure.
    ///   - silent: Makes the failure that `deliver` receives after a timeout. The argument is the timeout.
    ///   - deliver: Receives the outcome, on any thread. After a timeout it receives the failure, and can later receive
    ///     the outcome of `work` too.
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

    /// Runs the loop of one thread: performs jobs, and ends after `idleTime` without a job.
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
            // Between the timeout and the lock, `submit` has assigned a job to this thread. The signal of `submit`
            // follows.
            wakeUp.wait()
        }
    }

    /// Removes and returns the first queued job whose device has not reached its limit of threads. If no job can
    /// run now, counts the calling thread as idle and returns nil.
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

    /// Checks the awaited jobs at intervals, until no caller waits for a job.
    private func watch() async {
        // Intervals are counted, because a deadline would also count the time while the machine is suspended.
        while (try? await clock.sleep(for: timeout / Self.looks)) != nil {
            let (late, isOver) = state.withLock { look(&$0) }
            for job in late { job.giveUp() }
            if isOver { return }
        }
    }

    /// Checks once whether the awaited jobs have made progress.
    ///
    /// - Returns: The jobs that have timed out. `isOver` is true if no caller waits for a job any more, so that the
    ///   checks end.
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
                    // The job waits for a thread, and may wait as long as any other call makes progress.
                    moved.isEmpty
                } else {
                    !moved.contains(awaited.job.medium)
                }
            awaited.seen = awaited.beats
            awaited.silentLooks = isSilent ? awaited.silentLooks + 1 : 0
            state.awaited[number] = awaited
            // The first check may come less than a full interval after the call, so one more check is needed.
            if awaited.silentLooks > Self.looks { late.append(awaited.job) }
        }
        let numbers = Set(late.map(\.number))
        for number in numbers { state.awaited[number] = nil }
        if !late.isEmpty { state.queued.removeAll { numbers.contains($0.number) } }
        state.isWatched = !state.awaited.isEmpty
        return (late, state.awaited.isEmpty)
    }
}
