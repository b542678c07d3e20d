import FerryProtocols

/// The changes in a series of journals. Only the last record of each upload is used and decoded.
struct JournalReplay {
    struct Position {
        var journal: Int
        var range: Range<Int>
        /// The number of earlier changes of ranges, which do not apply to this record.
        var rangeChanges = 0
    }

    enum Latest {
        case set(Position)
        case removed
    }

    struct Origin {
        var file: String
        var offset: Int
    }

    /// The end of the error text if a record is missing, by which `Recovery` recognizes the error.
    static let missingRecord = "is missing"

    private var journals: [[UInt8]] = []
    private(set) var names: [String] = []
    private(set) var latest: [Upload.ID: Latest] = [:]
    private(set) var ranges = RangeChanges()
    private(set) var settings: QueueSettings?
    private(set) var unknownSettings: [UInt8] = []
    private(set) var greatestID: Upload.ID?
    /// The operations of a newer version that are safe to skip. The next snapshot contains them.
    private(set) var skipped: [Position] = []
    /// The number of the last record, first in the snapshot. The numbers rise by one, also between journals.
    private(set) var sequence: Int
    /// The number of operations that were left out with `readsNewer`; otherwise they are errors.
    private(set) var notUnderstood = 0
    private let folder: String
    private let readsNewer: Bool

    /// - Parameter readsNewer: True to leave out unknown operations. New files would lack them, so only readers may.
    init(after sequence: Int, in folder: String, readsNewer: Bool = false) {
        self.sequence = sequence
        self.folder = folder
        self.readsNewer = readsNewer
    }

    func withBytes<Result, Failure: Error>(
        of place: Position, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try journals[place.journal].withUnsafeBufferPointer { buffer throws(Failure) in
            try body(UnsafeBufferPointer(rebasing: buffer[place.range]))
        }
    }

    /// Adds all records of one journal, and returns their length in bytes. A crash can leave the last record incomplete
    /// if no later journal contains records (`isLast`).
    /// - Throws: `.damaged` for a damaged or missing record, and for an incomplete one other than the last of all
    ///   journals. `.newerFormat` for an unknown operation that is not marked as safe to skip, unless `readsNewer` is
    ///   true.
    mutating func replay(_ content: [UInt8], of name: String, isLast: Bool) throws(JournalError) -> Int {
        let index = journals.count
        journals.append(content)
        names.append(name)
        let path = folder + "/" + name
        return try content.withUnsafeBufferPointer { bytes throws(JournalError) -> Int in
            var position = 0
            while position < bytes.count {
                guard let end = bytes.firstLineBreak(from: position),
                    JournalRecord.isWhole(UnsafeBufferPointer(rebasing: bytes[position..<end]))
                else {
                    guard isLast,
                        Self.isTorn(UnsafeBufferPointer(rebasing: bytes[position...]), at: position)
                    else {
                        throw .damaged(
                            path: path, byte: position, reason: "the record's checksum does not fit")
                    }
                    return position
                }
                let line = UnsafeBufferPointer(rebasing: bytes[..<end])
                var scanner = JSONScanner(line, at: position)
                do throws(MalformedJSON) {
                    try record(&scanner, journal: index)
                } catch {
                    throw JournalError(error, path: path)
                }
                position = end + 1
            }
            return position
        }
    }

    /// Returns true if an interrupted write left `rest`, the end of a journal: it has no line break, or NULs in place
    /// of bytes that never reached the disk. An end with a complete record is damaged instead.
    private static func isTorn(_ rest: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        guard rest.firstLineBreak(from: 0) == nil || rest.hasUnwrittenPart(at: offset) else { return false }
        if rest.last != 0, JournalRecord.isWhole(UnsafeBufferPointer(rebasing: rest.dropLast())) {
            return false
        }
        var position = 1
        while let start = rest.first(JournalRecord.start, from: position) {
            let end = rest.firstLineBreak(from: start) ?? rest.count
            if JournalRecord.isWhole(UnsafeBufferPointer(rebasing: rest[start..<end])) { return false }
            position = start + 1
        }
        return true
    }

    private mutating func record(_ scanner: inout JSONScanner, journal: Int) throws(MalformedJSON) {
        let operation = try Operation(&scanner)
        guard scanner.isAtEnd else { throw scanner.malformed("text after the record") }
        let (expected, overflow) = sequence.addingReportingOverflow(1)
        guard let number = operation.sequence, number == expected, !overflow else {
            throw scanner.malformed("record \(expected) \(Self.missingRecord)")
        }
        if let operations = operation.operations {
            scanner = JSONScanner(scanner.bytes, at: operations.lowerBound)
            try scanner.expect("[")
            while try scanner.element() {
                try apply(try Operation(&scanner), scanner, journal: journal)
            }
        } else {
            try apply(operation, scanner, journal: journal)
        }
        sequence = number
    }

    private mutating func apply(
        _ operation: Operation, _ scanner: JSONScanner, journal: Int
    ) throws(MalformedJSON) {
        switch operation.name {
        case "set":
            let value = try scanner.require(operation.value, "v")
            var record = JSONScanner(scanner.bytes, at: value.lowerBound)
            let id = try record.uploadID()
            latest[id] = .set(
                Position(journal: journal, range: value, rangeChanges: ranges.count))
            greatestID = max(greatestID ?? id, id)
        case "state":
            var ids = JSONScanner(scanner.bytes, at: try scanner.require(operation.ids, "ids").lowerBound)
            var state = JSONScanner(scanner.bytes, at: try scanner.require(operation.value, "v").lowerBound)
            let found = try ids.ranges()
            var unknown = UnknownFields.OfPart()
            let new = try? state.state(&unknown)
            // Only a whole state can replace another one: what this version does not know would be lost.
            guard let new, unknown.members.isEmpty else {
                guard readsNewer else { throw scanner.newer("a state") }
                notUnderstood += 1
                return
            }
            ranges.set(new, of: found)
        case "removeAll":
            var ids = JSONScanner(scanner.bytes, at: try scanner.require(operation.ids, "ids").lowerBound)
            let found = try ids.ranges()
            ranges.remove(found)
            if let last = found.last { greatestID = max(greatestID ?? last.upperBound, last.upperBound) }
        case "remove":
            let id = try scanner.require(operation.id, "id")
            latest[id] = .removed
            greatestID = max(greatestID ?? id, id)
        case "settings":
            var record = JSONScanner(scanner.bytes, at: try scanner.require(operation.value, "v").lowerBound)
            let (settings, unknown) = try record.settings()
            self.settings = settings
            unknownSettings = unknown
        default:
            guard operation.maySkip else {
                guard readsNewer else { throw scanner.newer("the operation \(operation.name)") }
                notUnderstood += 1
                return
            }
            // It goes into the next snapshot as it is.
            var unknown = JSONScanner(scanner.bytes, at: operation.range.lowerBound)
            try unknown.skipValue()
            skipped.append(Position(journal: journal, range: operation.range))
        }
    }

    /// Calls `body` with the newest record of each upload that was not removed, in ascending order of ids.
    func merge(
        into base: SnapshotReader?,
        _ body: (Origin, UnsafeBufferPointer<UInt8>) throws(JournalError) -> Void
    ) throws(JournalError) {
        let changes = latest.sorted { $0.key < $1.key }
        var next = changes.startIndex
        func emit(
            _ id: Upload.ID, _ origin: Origin, _ record: UnsafeBufferPointer<UInt8>, after count: Int
        ) throws(JournalError) {
            switch ranges.effect(on: id, after: count) {
            case .none: try body(origin, record)
            case .removal: break
            case .state(let state):
                let changed: [UInt8]
                do throws(MalformedJSON) { changed = try state.applied(to: record) } catch {
                    // A record that only a newer version understands is left to the caller.
                    guard !readsNewer else { return try body(origin, record) }
                    throw JournalError(error, path: folder + "/" + origin.file, offset: origin.offset)
                }
                try changed.withUnsafeBufferPointer { record throws(JournalError) in
                    try body(origin, record)
                }
            }
        }
        func emit(_ change: (key: Upload.ID, value: Latest)) throws(JournalError) {
            guard case .set(let position) = change.value else { return }
            let origin = Origin(file: names[position.journal], offset: position.range.lowerBound)
            try withBytes(of: position) { bytes throws(JournalError) in
                try emit(change.key, origin, bytes, after: position.rangeChanges)
            }
        }
        if var base {
            let file = base.name
            try base.readRecords { id, offset, record throws(JournalError) in
                while next < changes.endIndex, changes[next].key < id {
                    try emit(changes[next])
                    next += 1
                }
                if next < changes.endIndex, changes[next].key == id {
                    try emit(changes[next])
                    next += 1
                } else {
                    try emit(id, Origin(file: file, offset: offset), record, after: 0)
                }
            }
        }
        while next < changes.endIndex {
            try emit(changes[next])
            next += 1
        }
    }
}

/// The members, in any order, of a journal record or of one operation in a `batch`.
private struct Operation {
    var sequence: Int?
    var name = ""
    var id: Upload.ID?
    var ids: Range<Int>?
    var value: Range<Int>?
    var operations: Range<Int>?
    var maySkip = false
    var range: Range<Int>

    init(_ scanner: inout JSONScanner) throws(MalformedJSON) {
        scanner.skipWhitespace()
        let start = scanner.position
        range = start..<start
        try scanner.expect("{")
        while let key = try scanner.key() {
            switch key {
            case "s": sequence = try scanner.integer()
            case "op": name = try scanner.string()
            case "id": id = try scanner.integer()
            // The record's checksum fits, and what is used of these values is read later.
            case "v": value = try scanner.skipUnchecked()
            case "ids": ids = try scanner.skipUnchecked()
            case "ops": operations = try scanner.skipUnchecked()
            case "skip": maySkip = try scanner.boolean()
            default: try scanner.skipValue()
            }
        }
        range = start..<scanner.position
        if name != "batch" { operations = nil }
    }
}

extension UnsafeBufferPointer<UInt8> {
    func firstLineBreak(from start: Int) -> Int? {
        UnsafeRawBufferPointer(self).firstIndex(of: 0x0A, from: start)
    }

    /// Returns true if bytes never reached the disk: NULs stand up to the end of the file, or fill whole disk blocks.
    /// Other NULs are damage, such as a space (0x20) with one flipped bit. `offset` is that of the first byte.
    fileprivate func hasUnwrittenPart(at offset: Int) -> Bool {
        // No disk writes less than 512 bytes at once.
        let block = 512
        var position = 0
        while let start = self[position...].firstIndex(of: 0) {
            let end = self[start...].firstIndex { $0 != 0 } ?? count
            if end == count { return true }
            if (offset + end) % block == 0, start == 0 || (offset + start) % block == 0 { return true }
            position = end
        }
        return false
    }

    fileprivate func first(_ pattern: [UInt8], from start: Int) -> Int? {
        guard count >= pattern.count, start <= count - pattern.count else { return nil }
        let bytes = UnsafeRawBufferPointer(self)
        return (start...(count - pattern.count)).first { bytes.holds(pattern, at: $0) }
    }
}
