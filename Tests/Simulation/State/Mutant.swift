import FerryProtocols
package import FerryUploads
import Synchronization

/// A fault in the way that the queue's files are written or read. Some check must detect each of them.
package enum Mutant: String, CaseIterable, Sendable {
    /// The journal is written without a sync.
    case noJournalSync = "no-journal-sync"
    /// The folder is never synced, so new names may be lost in a power cut.
    case noFolderSync = "no-folder-sync"
    /// A snapshot is renamed before its sync.
    case renameBeforeSync = "rename-before-sync"
    /// The checksum of a journal's line always counts as correct.
    case noChecksum = "no-checksum"
}

/// The files of another folder, with the fault of a mutant.
package final class MutantFiles: StateFiles {
    private let files: any StateFiles
    private let mutant: Mutant
    private let unsynced = Mutex<[String: any StateFile]>([:])

    package init(_ files: any StateFiles, _ mutant: Mutant) {
        self.files = files
        self.mutant = mutant
    }

    package var path: String { files.path }
    package func names() throws(SystemCallError) -> [String] { try files.names() }
    package func remove(_ name: String) throws(SystemCallError) { try files.remove(name) }

    package func link(_ name: String, as other: String) throws(SystemCallError) {
        try files.link(name, as: other)
    }

    package func isSame(_ name: String, _ other: String) throws(SystemCallError) -> Bool {
        try files.isSame(name, other)
    }

    package func open(_ name: String, for access: FileAccess) throws(SystemCallError) -> (any StateFile)? {
        guard let file = try files.open(name, for: access) else { return nil }
        return try wrapped(file, name)
    }

    package func create(_ name: String) throws(SystemCallError) -> any StateFile {
        let file = try files.create(name)
        if mutant == .renameBeforeSync, name.hasPrefix(".tmp.") { unsynced.withLock { $0[name] = file } }
        return try wrapped(file, name)
    }

    package func rename(_ name: String, to other: String) throws(SystemCallError) {
        try files.rename(name, to: other)
        try unsynced.withLock { $0.removeValue(forKey: name) }?.synchronize()
    }

    package func synchronize() throws(SystemCallError) {
        if mutant != .noFolderSync { try files.synchronize() }
    }

    private func wrapped(_ file: any StateFile, _ name: String) throws(SystemCallError) -> any StateFile {
        let isJournal = name.hasPrefix("journal.")
        return switch mutant {
        case .noJournalSync where isJournal: UnsyncedFile(file)
        case .renameBeforeSync where name.hasPrefix(".tmp."): UnsyncedFile(file)
        case .noChecksum where isJournal: MendedFile(file)
        case .noJournalSync, .noFolderSync, .renameBeforeSync, .noChecksum: file
        }
    }
}

/// A file whose sync does nothing.
private final class UnsyncedFile: StateFile {
    private let file: any StateFile

    init(_ file: any StateFile) { self.file = file }

    func length() throws(SystemCallError) -> Int { try file.length() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
        try file.read(into: buffer, at: offset)
    }
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) { try file.append(bytes) }
    func truncate(to length: Int) throws(SystemCallError) { try file.truncate(to: length) }
    func synchronize() throws(SystemCallError) {}
}

/// A journal file whose lines are read with corrected checksums.
private final class MendedFile: StateFile {
    private let file: any StateFile

    init(_ file: any StateFile) { self.file = file }

    func length() throws(SystemCallError) -> Int { try file.length() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int {
        var content = try file.content()
        // The bytes before the part of a line that the checksum covers, as in `{"c":"1f3a9c02","s":…`.
        let head = 15
        var start = 0
        while start < content.count {
            let end = content[start...].firstIndex(of: 0x0A) ?? content.count
            if end - start > head {
                let checksum = content[(start + head)..<end].withUnsafeBytes { CRC32C.of($0) }
                let digits = String(checksum, radix: 16)
                let text = String(repeating: "0", count: 8 - digits.count) + digits
                content.replaceSubrange((start + 6)..<(start + 14), with: Array(text.utf8))
            }
            start = end + 1
        }
        let part = content.dropFirst(offset).prefix(buffer.count)
        buffer.copyBytes(from: part)
        return part.count
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) { try file.append(bytes) }
    func truncate(to length: Int) throws(SystemCallError) { try file.truncate(to: length) }
    func synchronize() throws(SystemCallError) { try file.synchronize() }
}
