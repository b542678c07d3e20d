import FerryProtocols

/// A writer that streams a snapshot to an output in chunks.
struct SnapshotWriter {
    private let output: ([UInt8]) throws(JournalError) -> Void
    private var writer = JSONWriter()
    private var checksum = CRC32C()
    private var count = 0
    private var length = 0

    init(
        _ header: SnapshotHeader, savedAt: Date, to output: @escaping ([UInt8]) throws(JournalError) -> Void
    ) {
        self.output = output
        writer.header(header, savedAt: savedAt)
    }

    /// Adds the record of one upload. `write` appends it, without a line break.
    mutating func append(_ write: (inout JSONWriter) -> Void) throws(JournalError) {
        if count > 0 { writer.raw(",\n") }
        write(&writer)
        count += 1
        if writer.bytes.count >= 1 << 20 { try flush() }
    }

    /// Writes the last line. Returns the length of the snapshot in bytes.
    mutating func finish() throws(JournalError) -> Int {
        if count > 0 { writer.raw("\n") }
        try flush()
        writer.trailer(count: count, after: checksum)
        try flush()
        return length
    }

    private mutating func flush() throws(JournalError) {
        writer.bytes.withUnsafeBytes { checksum.update($0) }
        try output(writer.bytes)
        length += writer.bytes.count
        writer.bytes.removeAll(keepingCapacity: true)
    }
}

extension StateFiles {
    /// Writes a snapshot into a new file, and syncs the file. `write` adds the records. Returns the length in bytes.
    func writeSnapshot(
        _ name: String, _ header: SnapshotHeader, savedAt: Date,
        _ write: (inout SnapshotWriter) throws(JournalError) -> Void
    ) throws(JournalError) -> Int {
        let file = try perform { () throws(SystemCallError) in try create(name) }
        var writer = SnapshotWriter(header, savedAt: savedAt) { bytes throws(JournalError) in
            try perform { () throws(SystemCallError) in try file.append(bytes) }
        }
        try write(&writer)
        let length = try writer.finish()
        try perform { () throws(SystemCallError) in try file.synchronize() }
        return length
    }
}
