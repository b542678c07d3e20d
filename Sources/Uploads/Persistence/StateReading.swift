import struct Foundation.Date

/// What could be read of a queue.
public struct StateReading: Sendable {
    /// As a start would find it, with what it would have to put right.
    public let recovered: Recovered
    /// Why a start would stop. What came after a damage is missing then.
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

/// What a look at all files of a queue found.
public struct StateReport: Sendable {
    /// One file of the state folder.
    public struct File: Hashable, Sendable {
        /// In the folder.
        public let name: String
        /// Its length.
        public let bytes: Int
    }

    /// The snapshots and journals that are there.
    public internal(set) var files: [File] = []
    /// What crashes and repairs left behind; nothing needs it.
    public internal(set) var leftOver: [File] = []
    /// Of the snapshot in use; nil if a start would stop, or there is no queue.
    public internal(set) var generation: Int?
    /// Bytes of changes that no snapshot holds yet.
    public internal(set) var pendingBytes = 0
    /// How many uploads are in each state, by the state's name.
    public internal(set) var states: [String: Int] = [:]
    /// What a start would put right.
    public internal(set) var notices: [RecoveryNotice] = []
    /// What is damaged, edited, missing or too new, a sentence each without a final stop.
    public internal(set) var problems: [String] = []
    /// What to do if a start would stop.
    public internal(set) var hint: String?
    /// Who has the queue, as an error would say it; nil if nobody has.
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
