import FerryProtocols

/// A reader of a snapshot in Ferry's layout. It reads line by line, so a long snapshot is never in memory as a whole.
struct SnapshotReader {
    let header: SnapshotHeader
    let name: String
    private let path: String
    private var lines: LineReader
    private var checksum = CRC32C()

    /// Opens the snapshot `name` and reads its header; nil if there is none. `readsNewer` allows a newer format.
    init?(_ name: String, in files: any StateFiles, readsNewer: Bool = false) throws(JournalError) {
        self.name = name
        path = files.path + "/" + name
        let reader = try files.perform { () throws(SystemCallError) in
            try files.open(name, for: .reading).map(LineReader.init)
        }
        guard let reader else { return nil }
        lines = reader
        guard let line = try lines.next(path) else {
            throw .damaged(path: path, byte: 0, reason: "the file is empty or its first line has no end")
        }
        (header, checksum) = try lines.withBytes(line) {
            [path] bytes throws(JournalError) -> (SnapshotHeader, CRC32C) in
            var scanner = JSONScanner(bytes)
            var checksum = CRC32C()
            checksum.update(UnsafeRawBufferPointer(bytes))
            do throws(MalformedJSON) {
                return (try scanner.header(readsNewer: readsNewer), checksum)
            } catch {
                throw JournalError(error, path: path)
            }
        }
    }

    var length: Int { lines.length }

    /// Calls `body` with the id, the byte position and the bytes of each record, in ascending order of ids. Then checks
    /// their number and the checksum. After an error, the records are possibly damaged.
    mutating func readRecords(
        _ body: (Upload.ID, Int, UnsafeBufferPointer<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        var last: Upload.ID?
        var count = 0
        while true {
            let offset = lines.offset
            guard let line = try lines.next(path) else {
                throw .damaged(path: path, byte: offset, reason: "the end is missing")
            }
            let isEnd = try lines.withBytes(line) { [path] bytes throws(JournalError) -> Bool in
                if bytes.first == UInt8(ascii: "]") {
                    var writer = JSONWriter()
                    writer.trailer(count: count, after: checksum)
                    guard bytes.elementsEqual(writer.bytes) else {
                        throw .damaged(path: path, byte: offset, reason: "the checksum does not fit")
                    }
                    return true
                }
                checksum.update(UnsafeRawBufferPointer(bytes))
                let length = bytes.dropLast().last == UInt8(ascii: ",") ? bytes.count - 2 : bytes.count - 1
                let record = UnsafeBufferPointer(rebasing: bytes[..<length])
                var scanner = JSONScanner(record)
                do throws(MalformedJSON) {
                    let id = try scanner.uploadID()
                    guard last.map({ $0 < id }) ?? true else {
                        throw scanner.malformed("ids are not in order")
                    }
                    last = id
                } catch {
                    throw JournalError(error, path: path, offset: offset)
                }
                count += 1
                if let last { try body(last, offset, record) }
                return false
            }
            if isEnd { break }
        }
        guard try lines.next(path) == nil, lines.offset == lines.length else {
            throw .damaged(path: path, byte: lines.offset, reason: "text after the end")
        }
    }
}
