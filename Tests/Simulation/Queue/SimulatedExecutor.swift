import FerryTestSupport
import Synchronization

/// Runs all tasks of a simulation on the caller's thread, one job at a time. The caller chooses the next job.
final class SimulatedExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    var isIdle: Bool { jobs.withLock { $0.isEmpty } }

    /// Runs one of the waiting jobs.
    ///
    /// - Parameter pick: Returns the index of the job to run. It is called with the number of waiting jobs.
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
