import FerryFiles
import Synchronization

/// Counts the receiver's statistics and the used part of its quota, and reports its events.
final class ReceiverMetrics: Sendable {
    private struct Counts {
        var statistics = ReceiverStatistics()
        var held = 0
    }

    /// The bytes of the quota that a new file or folder uses besides its content: the block size of most file systems.
    /// Without them, a client could fill the disk with empty files.
    static let entryBytes = 4 << 10

    private let counts = Mutex(Counts())
    private let quota: Int?
    private let report: @Sendable (ReceiverEvent) -> Void

    init(quota: Int?, report: @escaping @Sendable (ReceiverEvent) -> Void) {
        self.quota = quota
        self.report = report
    }

    var statistics: ReceiverStatistics { counts.withLock { $0.statistics } }

    var room: Int? { quota.map { quota in max(0, quota - counts.withLock { $0.held }) } }

    /// Adds bytes to the used part of the quota. If too little of the quota is left, adds nothing and returns false.
    func take(_ bytes: Int) -> Bool {
        counts.withLock { counts in
            if let quota, bytes > quota - counts.held { return false }
            counts.held += bytes
            return true
        }
    }

    /// Adds bytes to the used part of the quota. Throws `EDQUOT`, and adds nothing, if too little is left.
    func take(orThrow bytes: Int) throws(SystemCallError) {
        guard take(bytes) else { throw SystemCallError(call: "quota", code: .diskQuotaExceeded) }
    }

    /// Adds `entryBytes` to the used part of the quota while `create` makes a file or a folder; throws `EDQUOT` before
    /// if too little is left.
    func countEntry<Entry>(
        _ create: () throws(SystemCallError) -> Entry
    ) throws(SystemCallError) -> Entry {
        try take(orThrow: Self.entryBytes)
        do throws(SystemCallError) { return try create() } catch {
            giveBack(Self.entryBytes)
            throw error
        }
    }

    /// Adds the bytes of uploads from an earlier run, even beyond the quota.
    func restore(_ bytes: Int) { counts.withLock { $0.held += bytes } }

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
