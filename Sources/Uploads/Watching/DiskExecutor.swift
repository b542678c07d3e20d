import Dispatch

/// A serial executor for jobs that wait for the disk. In the cooperative pool of Swift, which has one thread per core,
/// such jobs would block other tasks.
package final class DiskExecutor: SerialExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
}
