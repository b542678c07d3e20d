import FerryFiles
import Synchronization

/// The receiver's statistics, its quota and the events that it reports.
final class ReceiverMetrics: Sendable {
    private struct Counts {
        var statistics = ReceiverStatistics()
        /// The number of bytes that count against the quota.
        var held = 0
    }

    /// The number of bytes that a new file or folder counts against the quota, besides its content: a block of most
    /// file systems. Without it, a client could fill the disk with empty files.
    static let entryBytes = 4 << 10

    private let counts = Mutex(Counts())
    private let quota: Int?
    private let report: @Sendable (ReceiverEvent) -> Void

    init(quota: Int?, report: @escaping @Sendable (ReceiverEvent) -> Void) {
        self.quota = quota
        self.report = report
    }

    var statistics: ReceiverStatistics { counts.withLock { $0.statistics } }

    /// The number of bytes that may still be stored within the quota; nil for no quota.
    var room: Int? { quota.map { quota in max(0, quota - counts.withLock { $0.held }) } }

    /// Counts bytes against the quota. If they do not fit, returns false and counts nothing.
    func take(_ bytes: Int) -> Bool {
        counts.withLock { counts in
            if let quota, bytes > quota - counts.held { return false }
            counts.held += bytes
            return true
        }
    }

    /// Counts bytes against the quota.
    /// - Throws: `EDQUOT`, without counting them, if they do not fit.
    func take(orThrow bytes: Int) throws(SystemCallError) {
        guard take(bytes) else { throw SystemCallError(call: "quota", code: .diskQuotaExceeded) }
    }

    /// Counts a new file or folder against the quota, and creates it. If `create` throws, the file or folder is not
    /// counted.
    /// - Throws: `EDQUOT`, without calling `create`, if the quota has too little room. Also the errors of `create`.
    func countEntry<Entry>(
        _ create: () throws(SystemCallError) -> Entry
    ) throws(SystemCallError) -> Entry {
        try take(orThrow: Self.entryBytes)
        do throws(SystemCallError) { return try create() } catch {
            giveBack(Self.entryBytes)
            throw error
        }
    }

    /// Counts the bytes of an earlier run against the quota, even if they exceed it.
    func restore(_ bytes: Int) { counts.withLock { $0.held += bytes } }

    /// Subtracts discarded bytes from the count against the quota.
    func giveBack(_ bytes: Int) { counts.withLock { $0.held = max(0, $0.held - bytes) } }

    func note(_ event: ReceiverEvent) {
        counts.withLock { counts in
            switch event {
            case .finished: counts.statistics.finishedUploads += 1
            case .refused: counts.statistics.refusedRequests += 1
            case .created, .received, .resumed, .interrupted, .removed, .expired: break
            }
        }
        report(event)
    }

    func wrote(_ bytes: Int) { counts.withLock { $0.statistics.bodyBytes += bytes } }
}
