import FerryFiles

/// The readable part of a queue.
package struct StateReading: Sendable {
    /// The state that a start of the engine would find, with the repairs that the start would make.
    package let recovered: Recovered
    /// The error with which a start of the engine would fail; nil if there is none. A valid edit of the snapshot is no
    /// error here. If a file is damaged, the records after the damage are missing in `recovered`.
    package let problem: JournalError?
    /// The number of records that are missing in `recovered` because only a newer version of Ferry understands them.
    package let notUnderstood: Int
    let header: SnapshotHeader
    let unknown: UnknownContent

    /// Passes the whole queue to `take` as one JSON document, in chunks. The document is a complete `queue.json` that
    /// needs no journals.
    package func export(_ take: @escaping @Sendable ([UInt8]) -> Void) throws(JournalError) {
        var header = header
        // The export starts a new queue in an empty folder, so its numbers are those of a new queue.
        (header.generation, header.lastSequence) = (1, 0)
        header.settings = recovered.settings
        var writer = SnapshotWriter(
            to: PassingFile(take), header: header,
            savedAt: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)),
            in: "the export")
        for upload in recovered.uploads {
            var record = JSONWriter()
            record.upload(upload, unknown: unknown.uploads[upload.id])
            try record.bytes.withUnsafeBufferPointer { bytes throws(JournalError) in try writer.append(bytes)
            }
        }
        _ = try writer.finish()
    }
}

/// The result of checking all files of a queue.
package struct StateReport: Sendable {
    /// One file of the state folder.
    package struct File: Hashable, Sendable {
        package let name: String
        package let bytes: Int
    }

    /// The existing snapshots and journals.
    package internal(set) var files: [File] = []
    /// The files that crashes and repairs left behind; no program needs them.
    package internal(set) var leftOver: [File] = []
    /// The generation (running number) of the snapshot in use; nil if the engine would fail to start, or if there is no
    /// queue.
    package internal(set) var generation: Int?
    /// The number of bytes of changes that no snapshot contains yet.
    package internal(set) var pendingBytes = 0
    /// The number of uploads in each state, by the state's name.
    package internal(set) var states: [String: Int] = [:]
    /// The repairs that the engine would make at its start.
    package internal(set) var notices: [RecoveryNotice] = []
    /// The errors of the files, one sentence each without a final period: damage, edits, missing or too new files.
    package internal(set) var problems: [String] = []
    /// The next step for the user if the engine would fail to start; else nil.
    package internal(set) var hint: String?
    /// The process that owns the queue, as the error `.inUse`; nil if there is none.
    package internal(set) var holder: JournalError?
}

/// A file that passes appended bytes to `take` at once, and stores nothing.
private final class PassingFile: StateFile {
    private let take: @Sendable ([UInt8]) -> Void

    init(_ take: @escaping @Sendable ([UInt8]) -> Void) { self.take = take }

    func length() throws(SystemCallError) -> Int { 0 }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int { 0 }
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) { take(Array(bytes)) }
    func truncate(to length: Int) throws(SystemCallError) {}
    func synchronize() throws(SystemCallError) {}
}
