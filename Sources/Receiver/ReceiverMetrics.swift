import FerryFiles
import Synchronization

/// Counts the receiver's statistics and the used part of its quota, and reports its events.
final class ReceiverMetrics: Sendable {
    /// The bytes of the quota that a new file or folder uses besides its content: the block size of most file systems.
    /// Without them, a client could fill the disk with empty files.
    static let entryBytes = 4 << 10

    let quota: ByteQuota
    private let counts = Mutex(ReceiverStatistics())
    private let report: @Sendable (ReceiverEvent) -> Void

    init(quota: Int?, report: @escaping @Sendable (ReceiverEvent) -> Void) {
        self.quota = ByteQuota(limit: quota)
        self.report = report
    }

    var statistics: ReceiverStatistics { counts.withLock { $0 } }

    func note(_ event: ReceiverEvent) {
        counts.withLock { counts in
            switch event {
            case .finished: counts.finishedUploads += 1
            case .refused: counts.refusedRequests += 1
            case .created, .received, .resumed, .interrupted, .removed, .expired: break
            }
        }
        report(event)
    }

    func wrote(_ bytes: Int) { counts.withLock { $0.bodyBytes += bytes } }
}

/// A number of bytes that all requests share, and the part of it that is used.
final class ByteQuota: Sendable {
    private let limit: Int?
    private let used = Mutex(0)

    init(limit: Int?) { self.limit = limit }

    /// The number of bytes that are left; nil if there is no limit.
    var room: Int? { limit.map { limit in max(0, limit - used.withLock { $0 }) } }

    /// Adds bytes to the used part. If too little is left, adds nothing and returns false.
    func take(_ bytes: Int) -> Bool {
        used.withLock { used in
            if let limit, bytes > limit - used { return false }
            used += bytes
            return true
        }
    }

    /// Adds bytes to the used part. Throws `EDQUOT`, and adds nothing, if too little is left.
    func take(orThrow bytes: Int) throws(SystemCallError) {
        guard take(bytes) else { throw SystemCallError(call: "quota", code: .diskQuotaExceeded) }
    }

    /// Adds `entryBytes` while `create` makes a file or a folder; throws `EDQUOT` before if too little is left.
    func countEntry<Entry>(
        _ create: () throws(SystemCallError) -> Entry
    ) throws(SystemCallError) -> Entry {
        try take(orThrow: ReceiverMetrics.entryBytes)
        do throws(SystemCallError) { return try create() } catch {
            giveBack(ReceiverMetrics.entryBytes)
            throw error
        }
    }

    /// Adds the bytes of uploads from an earlier run, even beyond the limit.
    func restore(_ bytes: Int) { used.withLock { $0 += bytes } }

    func giveBack(_ bytes: Int) { used.withLock { $0 = max(0, $0 - bytes) } }
}
