import FerryProtocols
import FerryTransfer

/// The text form of a `QueueUpdate`, for another process: a line of JSON (`Head`), and one for each changed upload in
/// the format of the queue's files, which is ten times faster than `Codable`.
package enum UpdateLines {
    package struct Head: Codable, Sendable {
        package var isComplete: Bool
        package var count: Int
        package var removed: [Upload.ID]
        package var status: EngineStatus
        package var isContinued: Bool?

        package func update(changed: [Upload]) -> QueueUpdate {
            QueueUpdate(
                isComplete: isComplete, changed: changed, removed: removed, status: status,
                isContinued: isContinued ?? false)
        }
    }

    /// Returns all lines of `update`, each with its line break.
    package static func text(of update: QueueUpdate) throws -> [UInt8] {
        let head = Head(
            isComplete: update.isComplete, count: update.changed.count, removed: update.removed,
            status: update.status, isContinued: update.isContinued ? true : nil)
        var writer = JSONWriter()
        writer.bytes.reserveCapacity(512 * (update.changed.count + 1))
        writer.raw(try JSONEncoder().encode(head))
        writer.raw("\n")
        for upload in update.changed {
            writer.upload(upload, unknown: nil)
            writer.raw("\n")
        }
        return writer.bytes
    }

    /// Returns one line of JSON for each of these uploads, with its line break, in chunks of 500 lines.
    package static func pages(of ids: [Upload.ID], in uploads: QueueTable) -> some Sequence<[UInt8]> {
        stride(from: 0, to: ids.count, by: 500).lazy.map { start in
            var writer = JSONWriter()
            writer.bytes.reserveCapacity(512 * 500)
            for id in ids[start..<min(start + 500, ids.count)] {
                guard let upload = uploads[id] else { continue }
                writer.upload(upload, unknown: nil)
                writer.raw("\n")
            }
            return writer.bytes
        }
    }

    package static func head(_ line: some Collection<UInt8>) throws -> Head {
        try JSONDecoder().decode(Head.self, from: Data(line))
    }

    /// A reader of the lines that follow the first line of an update. Each of them contains one upload.
    package struct RecordReader {
        private var last = RepeatedTarget()

        package init() {}

        /// Returns the upload that a line, without its line break, describes.
        package mutating func upload(_ line: UnsafeBufferPointer<UInt8>) throws -> Upload {
            var scanner = JSONScanner(line)
            return try scanner.upload(last: &last).0
        }
    }
}
