import FerryFiles

/// The readable part of a queue.
public struct StateReading: Sendable {
    /// The state as a start would find it, with what it would have to put right.
    public let recovered: Recovered
    /// The reason why a start would stop. Whatever follows a damage is missing then.
    public let problem: JournalError?
    /// Records that only a newer version understands; they are missing too.
    public let notUnderstood: Int
    let header: SnapshotHeader
    let unknown: UnknownContent

    /// Passes the whole queue to `take`, piece by piece, as one JSON document: a `queue.json` that is complete
    /// without journals.
    public func export(_ take: @escaping @Sendable ([UInt8]) -> Void) throws(JournalError) {
        var header = header
        // The journals that follow in an empty folder are those of a new queue.
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

/// The result of a look at all files of a queue.
public struct StateReport: Sendable {
    /// One file of the state folder.
    public struct File: Hashable, Sendable {
        /// The name in the folder.
        public let name: String
        /// Its length.
        public let bytes: Int
    }

    /// The snapshots and journals that are there.
    public internal(set) var files: [File] = []
    /// The files that crashes and repairs left behind; nothing needs them.
    public internal(set) var leftOver: [File] = []
    /// The generation of the snapshot in use; nil if a start would stop, or there is no queue.
    public internal(set) var generation: Int?
    /// Bytes of changes that no snapshot holds yet.
    public internal(set) var pendingBytes = 0
    /// The number of uploads in each state, by the state's name.
    public internal(set) var states: [String: Int] = [:]
    /// The repairs that a start would make.
    public internal(set) var notices: [RecoveryNotice] = []
    /// The errors, a sentence each without a final stop: damage, edits, missing or too new files.
    public internal(set) var problems: [String] = []
    /// The next step if a start would stop.
    public internal(set) var hint: String?
    /// The holder of the queue, as an error would say it; nil if there is none.
    public internal(set) var holder: JournalError?
}

/// A file whose content goes elsewhere at once.
private final class PassingFile: StateFile {
    private let take: @Sendable ([UInt8]) -> Void

    init(_ take: @escaping @Sendable ([UInt8]) -> Void) { self.take = take }

    func length() throws(SystemCallError) -> Int { 0 }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemCallError) -> Int { 0 }
    func append(_ bytes: UnsafeRawBufferPointer) throws(SystemCallError) { take(Array(bytes)) }
    func truncate(to length: Int) throws(SystemCallError) {}
    func synchronize() throws(SystemCallError) {}
}
