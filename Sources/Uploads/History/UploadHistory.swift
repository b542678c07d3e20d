import Dispatch
import Synchronization

/// The history of a queue, in files beside the queue's files: one line for each upload that is done, or that a user
/// removed after it failed or was held. Uploads never wait for it, and its errors never stop the queue. The queue
/// writes missing lines of done uploads at its next start.
public final class UploadHistory: Sendable {
    private struct State {
        var files: HistoryFiles
        /// The numbers of the done uploads that have a line in the history. Nil until the history files have been read.
        var known: Set<Upload.ID>?
        /// The numbers of the done uploads whose line was written to a file, but not yet synced to disk.
        var unsynced: Set<Upload.ID> = []
        /// The numbers of the done uploads whose line was possibly lost in a failed sync; `secure` writes it again.
        var doubtful: Set<Upload.ID> = []
    }

    /// The time that the lines of done uploads wait for others, as small files end hundreds of times a second. The lines
    /// that a crash prevents are written at the next start.
    private static let delay = DispatchTimeInterval.milliseconds(20)

    private let state: Mutex<State>
    private let added = Mutex<[HistoryEntry]>([])
    private let queue = DispatchQueue(label: "history", qos: .utility)

    /// Creates the history in the state folder that `lock` protects. Close the history before you release the lock.
    public convenience init(_ lock: StateLock) { self.init(files: lock.files) }

    init(files: any StateFiles, limits: HistoryFiles.Limits = HistoryFiles.Limits()) {
        state = Mutex(State(files: HistoryFiles(files, limits: limits)))
    }

    /// Writes a line for each of `entries` in the background. Errors are not reported.
    public func add(_ entries: [HistoryEntry]) {
        guard !entries.isEmpty else { return }
        let isFirst = added.withLock { added in
            defer { added += entries }
            return added.isEmpty
        }
        if entries.contains(where: { $0.outcome != .done }) {
            queue.async { [self] in writeAdded() }
        } else if isFirst {
            queue.asyncAfter(deadline: .now() + Self.delay) { [self] in writeAdded() }
        }
    }

    private func writeAdded() {
        let entries = added.withLock { added in
            defer { added = [] }
            return added
        }
        state.withLock { _ = Self.write(entries, to: &$0) }
    }

    /// Makes sure that each done upload in `uploads` has a line that survives a power cut; false after an error.
    public nonisolated(nonsending) func secure(_ uploads: [Upload]) async -> Bool {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                writeAdded()
                continuation.resume(returning: state.withLock { Self.secure(uploads, in: &$0) })
            }
        }
    }

    /// Waits until the entries from earlier calls of `add` are written, and closes the files.
    public nonisolated(nonsending) func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                writeAdded()
                state.withLock { $0.files.close() }
                continuation.resume()
            }
        }
    }

    /// Returns at most `limit` entries from the time `since` on, the newest first, and only the newest of each upload.
    /// Lines that cannot be read are skipped. Another process may own the queue.
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
                // A file that is renamed meanwhile is read twice. A clock change can make newer lines older.
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
            let read: Void? = try? state.files.readLines { line in
                if let id = HistoryEntry.doneID(ofLine: line) { known.insert(id) }
                return true
            }
            guard read != nil else { return false }
            state.known = known.subtracting(state.doubtful)
        }
        let missing = uploads.filter { state.known?.contains($0.id) == false }
        guard write(missing.compactMap(HistoryEntry.init(done:)), to: &state) else { return false }
        defer { state.unsynced = [] }
        do throws(SystemCallError) { try state.files.synchronize() } catch {
            state.doubtful.formUnion(state.unsynced)
            state.known?.subtract(state.unsynced)
            return false
        }
        return true
    }

    /// Writes a line for each of `entries`, at once for each file. Returns false if some could not be written.
    private static func write(_ entries: [HistoryEntry], to state: inout State) -> Bool {
        var (done, lines): ([Upload.ID], [UInt8]) = ([], [])
        for entry in entries {
            let line = entry.line
            if !lines.isEmpty, !state.files.fits(lines.count + line.count) {
                guard write(done, lines, to: &state) else { return false }
                (done, lines) = ([], [])
            }
            if entry.outcome == .done { done.append(entry.upload.id) }
            lines += line
        }
        return lines.isEmpty || write(done, lines, to: &state)
    }

    private static func write(_ ids: [Upload.ID], _ lines: [UInt8], to state: inout State) -> Bool {
        do throws(SystemCallError) { try state.files.append(lines) } catch { return false }
        state.known?.formUnion(ids)
        state.unsynced.formUnion(ids)
        state.doubtful.subtract(ids)
        return true
    }
}
