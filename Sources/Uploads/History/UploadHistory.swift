import Dispatch
public import FerryFiles
import Synchronization

/// The history beside the queue: a line for each upload that is done, or that was given up.
///
/// The queue never waits for it, and never stops because of it. What could not be written is written when the queue
/// is opened the next time, for as long as the upload is still in the queue.
public final class UploadHistory: Sendable {
    private struct State {
        var files: HistoryFiles
        /// The numbers of the done uploads that have a line; nil until they were read.
        var known: Set<Upload.ID>?
        /// The uploads whose line has not been synced.
        var unsynced: Set<Upload.ID> = []
        /// The uploads whose line a failed sync may have taken: they are written anew.
        var doubtful: Set<Upload.ID> = []
    }

    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "history", qos: .utility)

    /// The history beside the queue that `lock` holds. It must be closed before the lock is let go.
    public convenience init(_ lock: StateLock) { self.init(files: lock.files) }

    init(files: any StateFiles, limits: HistoryFiles.Limits = HistoryFiles.Limits()) {
        state = Mutex(State(files: HistoryFiles(files, limits: limits)))
    }

    /// Writes lines for `entries`, in their order, after this has returned.
    public func add(_ entries: [HistoryEntry]) {
        guard !entries.isEmpty else { return }
        queue.async { [self] in
            state.withLock { state in
                for entry in entries { _ = Self.write(entry, to: &state) }
            }
        }
    }

    /// Makes certain that every one of these done uploads has one line, and that it is there after a power cut.
    ///
    /// - Returns: False if that cannot be said of all of them.
    public nonisolated(nonsending) func secure(_ uploads: [Upload]) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: state.withLock { Self.secure(uploads, in: &$0) })
            }
        }
    }

    /// Waits for what was added, and lets go of the files.
    public nonisolated(nonsending) func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                state.withLock { $0.files.close() }
                continuation.resume()
            }
        }
    }

    /// The newest entries first, at most `limit` of them; what cannot be read is left out.
    ///
    /// - Parameters:
    ///   - directory: One that was opened for reading will do, whoever has the queue meanwhile.
    ///   - since: By the wall clock; nil for all.
    public static func read(
        in directory: StateDirectory, limit: Int = .max, since: Date? = nil
    ) throws(JournalError) -> [HistoryEntry] {
        try read(files: directory.files, limit: limit, since: since)
    }

    static func read(
        files: any StateFiles, limit: Int = .max, since: Date? = nil
    ) throws(JournalError) -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        var ids: Set<Upload.ID> = []
        var last = RepeatedTarget()
        do throws(SystemCallError) {
            try HistoryFiles(files).readLines { line in
                guard entries.count < limit else { return false }
                // A file that was given its next name meanwhile is met again.
                // Not by their order: a clock that was set back writes older moments after newer ones.
                if let entry = HistoryEntry(line: line, last: &last), since.map({ entry.at >= $0 }) ?? true,
                    ids.insert(entry.upload.id).inserted
                {
                    entries.append(entry)
                }
                return true
            }
        } catch {
            throw JournalError(error, in: files.path)
        }
        return entries
    }

    private static func secure(_ uploads: [Upload], in state: inout State) -> Bool {
        if state.known == nil {
            var known: Set<Upload.ID> = []
            do throws(SystemCallError) {
                try state.files.readLines { line in
                    if let id = HistoryEntry.id(ofLine: line) { known.insert(id) }
                    return true
                }
            } catch {
                return false
            }
            state.known = known.subtracting(state.doubtful)
        }
        var isComplete = true
        for upload in uploads where state.known?.contains(upload.id) == false {
            guard let entry = HistoryEntry(done: upload) else { continue }
            if !write(entry, to: &state) { isComplete = false }
        }
        guard isComplete else { return false }
        do throws(SystemCallError) {
            try state.files.synchronize()
            state.unsynced = []
            return true
        } catch {
            state.doubtful.formUnion(state.unsynced)
            state.known?.subtract(state.unsynced)
            state.unsynced = []
            return false
        }
    }

    private static func write(_ entry: HistoryEntry, to state: inout State) -> Bool {
        do throws(SystemCallError) {
            try state.files.append(entry.line)
            state.known?.insert(entry.upload.id)
            state.unsynced.insert(entry.upload.id)
            state.doubtful.remove(entry.upload.id)
            return true
        } catch {
            return false
        }
    }
}
