import FerryProtocols

/// An upload that is done, or that a user removed after it failed or was held.
public struct HistoryEntry: Hashable, Sendable {
    /// The way in which an upload ended.
    public enum Outcome: String, Hashable, CaseIterable, Sendable {
        /// The server has stored the file.
        case done
        /// The upload had failed or was held for a user's decision, and a user removed it from the queue.
        case removed
    }

    /// The way in which the upload ended.
    public var outcome: Outcome
    /// The wall-clock time when the upload was done or removed.
    public var at: Date
    /// The upload in its final state.
    public var upload: Upload

    public init(outcome: Outcome, at: Date, upload: Upload) {
        self.outcome = outcome
        self.at = at
        self.upload = upload
    }

    init?(done upload: Upload) {
        guard case .done(_, let at) = upload.state else { return nil }
        self.init(outcome: .done, at: at, upload: upload)
    }

    init?(removed upload: Upload, at: Date) {
        switch upload.state {
        case .failed, .held: self.init(outcome: .removed, at: at, upload: upload)
        case .queued, .running, .waiting, .paused, .done: return nil
        }
    }
}

extension HistoryEntry {
    /// The entry as one line of JSON, including the line break.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.member("{\"id\":", upload.id)
        writer.member(",\"outcome\":", outcome.rawValue)
        writer.member(",\"at\":", at)
        writer.raw(",\"upload\":")
        writer.upload(upload, unknown: nil)
        writer.raw("}\n")
        return writer.bytes
    }

    /// Reads an entry from a line without its line break; nil if it cannot. Entries with equal targets share memory.
    init?(line: UnsafeBufferPointer<UInt8>, last: inout RepeatedTarget) {
        var scanner = JSONScanner(line)
        guard let entry = try? scanner.historyEntry(last: &last) else { return nil }
        self = entry
    }

    /// Returns the number of the upload that the line describes; nil if it is not done, or the line cannot be read.
    static func doneID(ofLine line: UnsafeBufferPointer<UInt8>) -> Upload.ID? {
        var scanner = JSONScanner(line)
        var (id, outcome): (Upload.ID?, Outcome?)
        do throws(MalformedJSON) {
            try scanner.expect("{")
            while let key = try scanner.key() {
                switch key {
                case "id": id = try scanner.integer()
                case "outcome": outcome = try scanner.named("outcome")
                default: try scanner.skipValue()
                }
            }
        } catch {
            return nil
        }
        return scanner.isAtEnd && outcome == .done ? id : nil
    }
}

extension JSONScanner {
    fileprivate mutating func historyEntry(last: inout RepeatedTarget) throws(MalformedJSON) -> HistoryEntry {
        var outcome: HistoryEntry.Outcome?
        var at: Date?
        var upload: Upload?
        try expect("{")
        while let key = try key() {
            switch key {
            case "outcome": try outcome.fill(named("outcome"), at: position)
            case "at": try at.fill(date(), at: position)
            case "upload": try upload.fill(self.upload(last: &last).0, at: position)
            default: try skipValue()
            }
        }
        guard isAtEnd else { throw malformed("text after the line") }
        return HistoryEntry(
            outcome: try require(outcome, "outcome"), at: try require(at, "at"),
            upload: try require(upload, "upload"))
    }
}
