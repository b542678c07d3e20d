import FerryProtocols

/// The operations in journals that change the uploads in ranges of numbers, mostly of a whole queue, without their
/// records. Each sets only the state, or removes the uploads.
struct RangeChanges {
    /// A change of the uploads in ranges, which are in ascending order.
    private struct Change<Value> {
        var number: Int
        var ids: [ClosedRange<Upload.ID>]
        var value: Value

        func applies(to id: Upload.ID, after count: Int) -> Bool { number >= count && ids.covers(id) }
    }

    /// The state that a change sets.
    struct NewState {
        fileprivate var state: Upload.State
        /// The state as JSON text.
        fileprivate var text: [UInt8]

        /// Returns the record of an upload with this state.
        func applied(to record: UnsafeBufferPointer<UInt8>) throws(MalformedJSON) -> [UInt8] {
            var scanner = JSONScanner(record)
            if let old = try scanner.plainState() {
                return record[..<old.lowerBound] + text + record[old.upperBound...]
            }
            scanner = JSONScanner(record)
            var target = RepeatedTarget()
            var (upload, unknown) = try scanner.upload(last: &target)
            upload.state = state
            var writer = JSONWriter()
            writer.upload(upload, unknown: unknown)
            return writer.bytes
        }
    }

    /// The effect of changes on an upload.
    enum Effect {
        case none
        case state(NewState)
        case removal
    }

    private var states: [Change<NewState>] = []
    private var removals: [Change<Void>] = []

    /// The number of changes so far.
    var count: Int { states.count + removals.count }

    mutating func set(_ state: Upload.State, of ids: [ClosedRange<Upload.ID>]) {
        var writer = JSONWriter()
        writer.state(state, unknown: nil)
        states.append(
            Change(number: count, ids: ids, value: NewState(state: state, text: writer.bytes)))
    }

    mutating func remove(_ ids: [ClosedRange<Upload.ID>]) {
        removals.append(Change(number: count, ids: ids, value: ()))
    }

    func affects(_ id: Upload.ID) -> Bool {
        if case .none = effect(on: id, after: 0) { false } else { true }
    }

    /// Returns the effect of all changes on an upload, but the first `count`, which are older than its record.
    func effect(on id: Upload.ID, after count: Int) -> Effect {
        // A state that follows a removal does not bring back the upload.
        if removals.contains(where: { $0.applies(to: id, after: count) }) { return .removal }
        guard let newest = states.last(where: { $0.applies(to: id, after: count) }) else { return .none }
        return .state(newest.value)
    }
}

extension [ClosedRange<Upload.ID>] {
    /// True if one of these ranges, which are in ascending order, contains `id`.
    fileprivate func covers(_ id: Upload.ID) -> Bool {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].upperBound < id { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].contains(id)
    }
}

extension JSONWriter {
    /// Appends the ranges of consecutive numbers in `ids`, such as `[[1,7],[9,9]]`.
    mutating func ranges(of ids: [Upload.ID]) {
        var ranges: [ClosedRange<Upload.ID>] = []
        for id in ids.sorted() {
            if let last = ranges.last, id <= last.upperBound || id - 1 == last.upperBound {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        array(ranges) { $0.pair($1.lowerBound, $1.upperBound) }
    }
}

extension JSONScanner {
    /// Returns the range of the state in the upload record that begins here; nil if replacing its text could lose
    /// members that only a newer version knows.
    fileprivate mutating func plainState() throws(MalformedJSON) -> Range<Int>? {
        try expect("{")
        while let key = try key() {
            guard case "state" = key else {
                _ = try skipUnchecked()
                continue
            }
            skipWhitespace()
            let start = position
            return takePlainState() == nil ? nil : start..<position
        }
        throw malformed("an upload without state")
    }
}
