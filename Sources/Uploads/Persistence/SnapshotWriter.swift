import FerryFiles
import FerryProtocols

/// A writer that streams a snapshot into a new file.
struct SnapshotWriter {
    private let folder: String
    private let file: any StateFile
    private var writer = JSONWriter()
    private var checksum = CRC32C()
    private var count = 0
    private var length = 0

    init(_ name: String, header: SnapshotHeader, savedAt: Date, in files: any StateFiles) throws(JournalError)
    {
        let file = try files.perform { () throws(SystemCallError) in try files.create(name) }
        self.init(to: file, header: header, savedAt: savedAt, in: files.path)
    }

    init(to file: any StateFile, header: SnapshotHeader, savedAt: Date, in folder: String) {
        self.folder = folder
        self.file = file
        writer.header(header, savedAt: savedAt)
    }

    /// Adds the record of one upload. `write` appends it, without a line break.
    mutating func append(_ write: (inout JSONWriter) -> Void) throws(JournalError) {
        if count > 0 { writer.raw(",\n") }
        write(&writer)
        count += 1
        if writer.bytes.count >= 1 << 20 { try flush() }
    }

    /// Writes the last line, and makes the content durable. Returns the length of the file in bytes.
    mutating func finish() throws(JournalError) -> Int {
        if count > 0 { writer.raw("\n") }
        writer.trailer(count: count)
        try flush()
        writer.raw(",\"crc32c\":\"")
        writer.checksum(checksum.value)
        writer.raw("\"}\n")
        try flush()
        do throws(SystemCallError) { try file.synchronize() } catch { throw JournalError(error, in: folder) }
        return length
    }

    private mutating func flush() throws(JournalError) {
        writer.bytes.withUnsafeBytes { checksum.update($0) }
        do throws(SystemCallError) { try file.append(writer.bytes) } catch {
            throw JournalError(error, in: folder)
        }
        length += writer.bytes.count
        writer.bytes.removeAll(keepingCapacity: true)
    }
}
