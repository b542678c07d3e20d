import Dispatch
import FerryProtocols
import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Threads on which files are opened and read, because the medium may not answer: a network file system whose server
/// is gone holds a call for hours, and nothing can take it back.
///
/// Whoever waits for such a call is told after a while that nothing comes. The call keeps its thread, and all that it
/// uses stays open, until the kernel lets go. There are more threads only when there is more to wait for.
public final class FileReaders: Sendable {
    /// For everybody who does not choose.
    public static let shared = FileReaders()

    /// A silent call is looked at this often within the patience, so that no clock that jumped decides.
    private static let looks = 4
    /// A thread that has had nothing to do for so long ends.
    private static let idleTime = DispatchTimeInterval.seconds(10)
    private static let current = ThreadSpecificVariable<Job>()

    /// Work that blocks, and who waits for it.
    private final class Job: Sendable {
        let number: UInt64
        let medium: UInt64?
        let work: @Sendable () -> Void
        let giveUp: @Sendable (UploadFailure) -> Void
        let failure: @Sendable () -> UploadFailure
        /// Calls to the system that have come back.
        let beats = Atomic<UInt64>(0)

        init(
            number: UInt64, medium: UInt64?, work: @escaping @Sendable () -> Void,
            giveUp: @escaping @Sendable (UploadFailure) -> Void,
            failure: @escaping @Sendable () -> UploadFailure
        ) {
            self.number = number
            self.medium = medium
            self.work = work
            self.giveUp = giveUp
            self.failure = failure
        }
    }

    /// What a new job makes necessary.
    private enum Step { case nothing, wake, start }

    /// Somebody waits for the job. It is here from its call until it is done or given up.
    private struct Awaited {
        var job: Job
        var hasBegun = false
        /// What was seen of the job at the last look, and how many looks have seen nothing else.
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
    private let patience: Duration
    private let clock: any Clock<Duration>
    private let wakeUp = DispatchSemaphore(value: 0)
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: Threads at most; half of them for any one medium.
    ///   - patience: How long a single call to the system may take before nobody waits for it any more.
    public init(
        limit: Int = 32, patience: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = max(2, limit)
        self.patience = max(.milliseconds(1), patience)
        self.clock = clock
    }

    /// Threads that there are, and calls that hold one although nobody waits for them any more.
    var load: (threads: Int, abandoned: Int) {
        state.withLock { state in
            (
                state.threads,
                state.threads - state.idleThreads - state.awaited.values.count { $0.hasBegun }
            )
        }
    }

    /// Calls that somebody waits for.
    var awaited: Int { state.withLock { $0.awaited.count } }

    /// Does `work` where waiting for a medium keeps nobody else.
    ///
    /// - Parameters:
    ///   - path: The file that is waited for.
    ///   - medium: The device that it is on; one that hangs leaves threads to the others. All that are not known count
    ///     as one.
    /// - Throws: What `work` throws; `sourceAway` if it takes too long. `work` may still be under way then, as after a
    ///   cancellation, so it must hold on to all that it uses.
    func run<Value: Sendable>(
        _ path: LocalPath, on medium: UInt64?,
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async throws(UploadFailure) -> Value {
        let delivery = Delivery<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard delivery.expect({ continuation.resume(returning: $0) }) else { return }
                submit(path, on: medium, delivery, work)
            }
        } onCancel: {
            delivery.give(.failure(UploadFailure(.network, "stopped")))
        }
        return try result.get()
    }

    /// The same for callers on an event loop.
    func run<Value: Sendable>(
        _ path: LocalPath, on medium: UInt64?, eventLoop: any EventLoop,
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) -> EventLoopFuture<Value> {
        let promise = eventLoop.makePromise(of: Value.self)
        let delivery = Delivery<Value>()
        _ = delivery.expect { promise.completeWith($0.mapError { $0 }) }
        submit(path, on: medium, delivery, work)
        return promise.futureResult
    }

    /// Called by work that makes several calls to the system, after each of them: it is slow then and does not hang.
    static func beat() { current.currentValue?.beats.add(1, ordering: .relaxed) }

    private func submit<Value: Sendable>(
        _ path: LocalPath, on medium: UInt64?, _ delivery: Delivery<Value>,
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) {
        let patience = patience
        let (next, watches): (Step, Bool) = state.withLock { state in
            state.lastNumber += 1
            let job = Job(
                number: state.lastNumber, medium: medium,
                work: {
                    guard delivery.isWanted else { return }
                    delivery.give(Result { () throws(UploadFailure) in try work() })
                },
                giveUp: { delivery.give(.failure($0)) },
                failure: { SourceFile.silent(path, for: patience) })
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
        case .start: Thread.detachNewThread { self.work() }
        }
        if watches { Task.detached { await self.watch() } }
    }

    private func hasRoom(for medium: UInt64?, _ state: State) -> Bool {
        state.blocking[medium, default: 0] < limit / 2
    }

    /// What each thread does.
    private func work() {
        while true {
            while let job = take() {
                Self.current.currentValue = job
                job.work()
                Self.current.currentValue = nil
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
        while (try? await clock.sleep(for: patience / Self.looks)) != nil {
            let (late, isOver) = state.withLock { look(&$0) }
            for job in late { job.giveUp(job.failure()) }
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

/// A result for one receiver, whoever gives it first.
private final class Delivery<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, UploadFailure>

    private enum State {
        case new
        case expected(@Sendable (Outcome) -> Void)
        case given
    }

    private let state = Mutex(State.new)

    /// False once there is a result.
    var isWanted: Bool {
        state.withLock { state in
            if case .given = state { false } else { true }
        }
    }

    /// - Returns: False if a result was there before; `receive` has been called with it then.
    func expect(_ receive: @escaping @Sendable (Outcome) -> Void) -> Bool {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .expected(receive)
            return true
        }
        // Nothing can have come before but a cancellation.
        if !isNew { receive(.failure(UploadFailure(.network, "stopped"))) }
        return isNew
    }

    func give(_ outcome: Outcome) {
        let receive: (@Sendable (Outcome) -> Void)? = state.withLock { state in
            defer { state = .given }
            if case .expected(let receive) = state { return receive }
            return nil
        }
        receive?(outcome)
    }
}
