import FerryProtocols
import FerryTransfer

@testable import FerryUploads

extension FuzzSurface {
    /// The scanner of the queue's JSON.
    static let json = FuzzSurface("json") { input in
        input.all.withUnsafeBufferPointer { bytes in
            var scanner = JSONScanner(bytes)
            if let range = try? scanner.skipValue() {
                promise(range.lowerBound >= 0 && range.upperBound <= bytes.count)
            }
            promise(scanner.position <= bytes.count)
            _ = QueuePosition(of: scanner.position, in: bytes).description
            scanner = JSONScanner(bytes)
            if let text = try? scanner.string() {
                var writer = JSONWriter()
                writer.string(text)
                let again = writer.bytes.withUnsafeBufferPointer { bytes in
                    var scanner = JSONScanner(bytes)
                    return try? scanner.string()
                }
                promise(again == text, "a text that is written is read as another")
            }
            scanner = JSONScanner(bytes)
            let _: Int64? = try? scanner.integer()
            scanner = JSONScanner(bytes)
            _ = try? scanner.date()
            scanner = JSONScanner(bytes)
            _ = try? scanner.path()
            _ = HistoryEntry.doneID(ofLine: bytes)
        }
    }

    /// Records of uploads, of the history and of watched files. A record that is written and read again must be the
    /// same.
    static let records = FuzzSurface("records") { input in
        input.all.withUnsafeBufferPointer { bytes in
            var last = RepeatedTarget()
            var scanner = JSONScanner(bytes)
            if let (upload, unknown) = try? scanner.upload(last: &last) {
                var writer = JSONWriter()
                writer.upload(upload, unknown: unknown)
                writer.bytes.withUnsafeBufferPointer { written in
                    var last = RepeatedTarget()
                    var scanner = JSONScanner(written)
                    guard let (again, members) = try? scanner.upload(last: &last) else {
                        return promise(false, "a record that was written cannot be read")
                    }
                    // The user info of a URL may contain a password, so it is not written.
                    let isWhole = !bytes.contains(UInt8(ascii: "@"))
                    promise(
                        !isWhole || again == upload && members == unknown,
                        "a record changes when it is written")
                    var rewriter = JSONWriter()
                    rewriter.upload(again, unknown: members)
                    promise(rewriter.bytes == Array(written), "a record changes when it is written again")
                }
            }
            if let note = WatchNote(line: bytes) {
                let line = Array(note.line.dropLast())
                promise(line.withUnsafeBufferPointer { WatchNote(line: $0) } != nil)
            }
            if let entry = HistoryEntry(line: bytes, last: &last) {
                let line = Array(entry.line.dropLast())
                promise(line.withUnsafeBufferPointer { HistoryEntry(line: $0, last: &last) } != nil)
            }
        }
        _ = try? UpdateLines.head(input.all)
    }

    /// Journals with correct checksums, so that the code behind the check is reached, and queues that a user edited.
    static let journal = FuzzSurface("journal") { input in
        var input = input
        let isWhole = input.isTrue()
        let content = input.all
        if isWhole { _ = try? SnapshotDocument(content) }
        var lines: [UInt8] = []
        var replay = JournalReplay(after: 0, in: "/state", readsNewer: isWhole)
        for (index, part) in content.split(separator: 0x0A).enumerated() {
            let body = Array(#""s":\#(index + 1),"#.utf8) + part + Array("}".utf8)
            // The checksum covers the line from the comma after its own value on.
            let rest = Array(",".utf8) + body
            let checksum = rest.withUnsafeBytes { CRC32C.of($0) }
            lines += JournalRecord.start + JSONWriter.hexadecimal(checksum) + Array("\"".utf8) + rest + [0x0A]
        }
        let length = try? replay.replay(lines, of: "journal", isLast: true)
        promise(length.map { $0 <= lines.count } ?? true)
        try? replay.merge(into: nil) { _, record throws(JournalError) in
            promise(record.first == UInt8(ascii: "{"))
        }
        var torn = JournalReplay(after: 0, in: "/state")
        let kept = try? torn.replay(content, of: "journal", isLast: true)
        promise(kept.map { $0 <= content.count } ?? true)
    }
}
