import FerryFiles
import FerryProtocols

/// One line of a journal: `{"c":"1f3a9c02","s":18235,"op":"set","v":{…}}`. `c` is the CRC-32C of the bytes from the
/// comma after it to the end, and `s` the record's number.
enum JournalRecord {
    static let start = Array("{\"c\":\"".utf8)
    /// The number of bytes that the checksum does not cover: `start`, the checksum and a quote.
    static let headLength = start.count + 9
    static let maximumSize = 16 << 20

    /// The number of changes that are encoded at once. More are encoded on several processors. The memory of chunks
    /// above 32 MiB, such as those of 100,000 uploads, returns to the system at once (`mallopt(3)`).
    private static let chunkSize = 100_000

    /// Returns the line of one record with all of `changes`, including its line break, in chunks that follow one
    /// another. Throws `.recordTooLarge`.
    static func line(
        _ changes: [QueueChange], sequence: Int, unknown: UnknownContent, chunkSize: Int = chunkSize
    ) throws(JournalError) -> [[UInt8]] {
        var head = JSONWriter()
        head.bytes.reserveCapacity(512)
        head.member("{\"c\":\"00000000\",\"s\":", sequence)
        head.raw(",")
        if let only = changes.first, changes.count == 1 {
            try write(only, to: &head, unknown: unknown)
            head.raw("}")
            return finished([head.bytes])
        }
        head.raw("\"op\":\"batch\",\"ops\":[")
        if changes.count <= chunkSize {
            try write(changes[...], to: &head, unknown: unknown)
            head.raw("]}")
            return finished([head.bytes])
        }
        let encoded = changes[...].mapChunks(of: chunkSize) { chunk in
            Result { () throws(JournalError) in
                var writer = JSONWriter()
                if chunk.startIndex > 0 { writer.raw(",") }
                try write(chunk, to: &writer, unknown: unknown)
                return writer.bytes
            }
        }
        var chunks = [head.bytes]
        for chunk in encoded { chunks.append(try chunk.get()) }
        return finished(chunks + [Array("]}".utf8)])
    }

    /// Sets the checksum of a record that consists of `chunks`, and adds the line break.
    private static func finished(_ chunks: [[UInt8]]) -> [[UInt8]] {
        var (chunks, checksum) = (chunks, CRC32C())
        for (index, chunk) in chunks.enumerated() {
            chunk.withUnsafeBytes {
                checksum.update(index == 0 ? UnsafeRawBufferPointer(rebasing: $0[headLength...]) : $0)
            }
        }
        chunks[0].replaceSubrange(
            start.count..<(start.count + 8), with: JSONWriter.hexadecimal(checksum.value))
        chunks[chunks.count - 1].append(UInt8(ascii: "\n"))
        return chunks
    }

    private static func write(
        _ changes: ArraySlice<QueueChange>, to writer: inout JSONWriter, unknown: UnknownContent
    ) throws(JournalError) {
        for (index, change) in changes.enumerated() {
            writer.raw(index == 0 ? "{" : ",{")
            try write(change, to: &writer, unknown: unknown)
            writer.raw("}")
            // Growing by doubling would copy the buffer again and again, and need up to twice the memory.
            if index == 0 { writer.bytes.reserveCapacity((writer.bytes.count + 32) * changes.count) }
        }
    }

    private static func write(
        _ change: QueueChange, to writer: inout JSONWriter, unknown: UnknownContent
    ) throws(JournalError) {
        switch change {
        case .set(let upload):
            writer.raw("\"op\":\"set\",\"v\":")
            let start = writer.bytes.count
            writer.upload(upload, unknown: unknown.uploads[upload.id])
            guard writer.bytes.count - start <= maximumSize else { throw .recordTooLarge(upload.id) }
        case .setState(let ids, let state):
            writer.raw("\"op\":\"state\",\"ids\":")
            writer.ranges(of: ids)
            writer.raw(",\"v\":")
            writer.state(state, unknown: nil)
        case .remove(let id):
            writer.member("\"op\":\"remove\",\"id\":", id)
        case .removeAll(let ids):
            writer.raw("\"op\":\"removeAll\",\"ids\":")
            writer.ranges(of: ids)
        case .settings(let settings):
            writer.raw("\"op\":\"settings\",\"v\":")
            writer.settings(settings, unknown: unknown.settings)
        }
    }

    /// Returns true if `line`, without its line break, is a complete record with the right checksum.
    static func isWhole(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        guard line.count > headLength, line[..<start.count].elementsEqual(start),
            line[headLength - 1] == UInt8(ascii: "\"")
        else { return false }
        let checksum = CRC32C.of(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: line[headLength...])))
        return line[start.count..<(start.count + 8)].elementsEqual(JSONWriter.hexadecimal(checksum))
    }
}

/// The JSON members in the queue's files that this version of Ferry does not know. They are written back unchanged.
struct UnknownContent: Sendable {
    var uploads: [Upload.ID: UnknownFields] = [:]
    var settings: [UInt8] = []
}
