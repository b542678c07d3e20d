import FerryTransfer

/// A file on disk with a note (`WatchNote`) on each file in watched folders.
///
/// Each change of a note is one line of `watched.jsonl` in the state folder, which is rewritten when most lines are
/// obsolete. If a crash loses lines, the watcher still finds the uploads in the queue and in the history.
package final class WatchLedger {
    static let name = "watched.jsonl"
    private static let temporary = "watched.jsonl.new"
    /// The number of lines beyond two for each note above which the ledger is rewritten.
    private static let slack = 1000

    private enum File {
        case closed
        case open(any StateFile)
        /// The ledger's file lacks notes that could not be written.
        case behind
    }

    private let files: any StateFiles
    private var lines = 0
    private var file = File.closed
    /// The most recent note of each file, by path.
    package private(set) var all: [LocalPath: WatchNote] = [:]

    /// Reads the notes from the state folder that `lock` locks. Throws `JournalError` if this fails.
    package convenience init(_ lock: StateLock) throws(JournalError) { try self.init(files: lock.files) }

    package init(files: any StateFiles) throws(JournalError) {
        self.files = files
        for line in try files.content(Self.name)?.split(separator: 0x0A) ?? [] {
            lines += 1
            // The file of an unreadable line is looked up in the queue and the history.
            guard let note = line.withUnsafeBufferPointer(WatchNote.init(line:)) else { continue }
            all[note.path] = note.disposition == .gone ? nil : note
        }
    }

    package subscript(_ path: LocalPath) -> WatchNote? { all[path] }

    /// Updates `all` with notes, of which `gone` removes one, and writes the changes to disk. After a failure, the next
    /// write includes them.
    package func write(_ notes: [WatchNote]) throws(JournalError) {
        let new = notes.filter { $0.disposition == .gone ? all[$0.path] != nil : all[$0.path] != $0 }
        guard !new.isEmpty else { return }
        for note in new { all[note.path] = note.disposition == .gone ? nil : note }
        do throws(SystemCallError) {
            lines += new.count
            guard lines <= 2 * all.count + Self.slack, let file = try opened() else { return try writeAnew() }
            let before = try file.length()
            do throws(SystemCallError) { try file.append(Array(new.map(\.line).joined())) } catch {
                try? file.truncate(to: before)
                throw error
            }
        } catch {
            file = .behind
            throw JournalError(error, in: files.path)
        }
    }

    /// Opens `watched.jsonl`. Returns nil if it lacks earlier notes, and so must be rewritten as a whole.
    private func opened() throws(SystemCallError) -> (any StateFile)? {
        switch file {
        case .open(let file): return file
        case .behind: return nil
        case .closed: break
        }
        let opened = try files.openOrCreate(Self.name)
        // The line break ends an incomplete line that a crash may have left.
        if try opened.length() > 0 { try opened.append([0x0A]) }
        file = .open(opened)
        return opened
    }

    private func writeAnew() throws(SystemCallError) {
        try files.remove(Self.temporary)
        let new = try files.create(Self.temporary)
        var buffer: [UInt8] = []
        for note in all.values {
            buffer += note.line
            if buffer.count > 1 << 20 {
                try new.append(buffer)
                buffer = []
            }
        }
        try new.append(buffer)
        try new.synchronize()
        try files.rename(Self.temporary, to: Self.name)
        file = .open(new)
        lines = all.count
    }
}
