import Dispatch
import Synchronization

public import struct Foundation.Date

/// The journal on disk: a snapshot `queue.json` and, line by line, the changes since.
///
/// All appends that wait at the same time share one write and one sync. Writing and syncing happen on threads of
/// their own, never on the cooperative pool.
public final class FileJournal: Journal {
    public struct Options: Sendable {
        /// A new snapshot is written when the changes since the last take more bytes than this, and more than half
        /// of the snapshot.
        public var compactionThreshold = 8 << 20
        /// Bytes of changes that may wait for a sync before one is made unasked.
        public var maximumVolatile = 1 << 20
        public var editedSnapshot = EditedSnapshot.refuse
        /// The wall clock, for `savedAt` alone.
        public var now: @Sendable () -> Date = { Date() }

        public init() {}
    }

    private struct Append {
        var changes: [QueueChange]
        var isDurable: Bool
        var continuation: CheckedContinuation<Result<Void, JournalError>, Never>
    }

    private enum Intake {
        case idle
        /// A drain is on its way and will take these.
        case waiting([Append])
        case closed
    }

    private let intake = Mutex(Intake.idle)
    private let store: Mutex<JournalStore>
    private let lock: Mutex<StateLock?>
    private let writer = DispatchQueue(label: "journal.write")
    private let compactor = DispatchQueue(label: "journal.compact", qos: .utility)

    /// A journal in the folder that `lock` holds; it keeps the lock until it is closed.
    public convenience init(_ lock: StateLock, options: Options = Options()) {
        self.init(files: lock.files, lock: lock, options: options)
    }

    init(files: any StateFiles, lock: StateLock?, options: Options) {
        store = Mutex(JournalStore(files: files, options: options))
        self.lock = Mutex(lock)
    }
}
