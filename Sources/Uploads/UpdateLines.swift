import FerryFiles
import FerryProtocols
import FerryTransfer

/// The form of a `QueueUpdate` for another process: a line of JSON that says how many records follow, then a record a
/// line in the form of the queue's files. `Codable` takes ten times longer to write and read them.
package enum UpdateLines {
    /// The first line.
    package struct Head: Codable, Sendable {
        package var isComplete: Bool
        /// Records that follow.
        package var count: Int
        package var removed: [Upload.ID]
        package var status: EngineStatus

        /// The update that begins with this line.
        package func update(changed: [Upload]) -> QueueUpdate {
            QueueUpdate(isComplete: isComplete, changed: changed, removed: removed, status: status)
        }
    }

    /// All lines of `update`, each with its line break.
    package static func text(of update: QueueUpdate) throws -> [UInt8] {
        let head = Head(
            isComplete: update.isComplete, count: update.changed.count, removed: update.removed,
            status: update.status)
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

    /// The records of uploads, each with its line break, in pieces of some hundred.
    package static func pages(of uploads: [Upload]) -> some Sequence<[UInt8]> {
        stride(from: 0, to: uploads.count, by: 500).lazy.map { start in
            var writer = JSONWriter()
            writer.bytes.reserveCapacity(512 * 500)
            for upload in uploads[start..<min(start + 500, uploads.count)] {
                writer.upload(upload, unknown: nil)
                writer.raw("\n")
            }
            return writer.bytes
        }
    }

    package static func head(_ line: some Collection<UInt8>) throws -> Head {
        try JSONDecoder().decode(Head.self, from: Data(line))
    }

    /// Reads the records of one update.
    package struct RecordReader {
        private var last = RepeatedTarget()

        package init() {}

        /// - Parameter line: Without its line break.
        /// - Throws: If it is no record of an upload.
        package mutating func upload(_ line: UnsafeBufferPointer<UInt8>) throws -> Upload {
            var scanner = JSONScanner(line)
            return try scanner.upload(last: &last).0
        }
    }
}
