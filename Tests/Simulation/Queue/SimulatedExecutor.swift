import FerryTestSupport
import Synchronization

/// Runs every task of a simulation on the thread that asks it to, one job at a time and in an order of its own.
final class SimulatedExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    var isIdle: Bool { jobs.withLock { $0.isEmpty } }

    /// - Parameter pick: Which of so many jobs.
    func runOne(_ pick: (Int) -> Int) {
        let job = jobs.withLock { jobs -> UnownedJob? in
            guard !jobs.isEmpty else { return nil }
            let index = pick(jobs.count)
            jobs.swapAt(index, jobs.count - 1)
            return jobs.removeLast()
        }
        job?.runSynchronously(on: asUnownedTaskExecutor())
    }
}
