import FerryProtocols

/// One line of a journal: `{"c":"1f3a9c02","s":18235,"op":"set","v":{…}}`. `c` is the CRC-32C of the bytes from the
/// comma after it to the end, and `s` the record's number.
enum JournalRecord {
    static let start = Array("{\"c\":\"".utf8)
    /// The number of bytes that the checksum does not cover: `start`, the checksum and a quote.
    static let headLength = start.count + 9
    static let maximumSize = 16 << 20

    /// Returns the line of one record with all of `changes`, including its line break. Throws `.recordTooLarge`.
    static func line(
        _ changes: [QueueChange], sequence: Int, unknown: UnknownContent
    ) throws(JournalError) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(512)
        writer.member("{\"c\":\"00000000\",\"s\":", sequence)
        writer.raw(",")
        if let only = changes.first, changes.count == 1 {
            try write(only, to: &writer, unknown: unknown)
        } else {
            writer.raw("\"op\":\"batch\",\"ops\":[")
            for (index, change) in changes.enumerated() {
                writer.raw(index == 0 ? "{" : ",{")
                try write(change, to: &writer, unknown: unknown)
                writer.raw("}")
                // Growing by doubling would copy the buffer again and again, and need up to twice the memory.
                if index == 0 { writer.bytes.reserveCapacity((writer.bytes.count + 32) * changes.count) }
            }
            writer.raw("]")
        }
        writer.raw("}")
        let checksum = writer.bytes.withUnsafeBytes {
            CRC32C.of(UnsafeRawBufferPointer(rebasing: $0[headLength...]))
        }
        writer.bytes.replaceSubrange(start.count..<(start.count + 8), with: JSONWriter.hexadecimal(checksum))
        writer.raw("\n")
        return writer.bytes
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
