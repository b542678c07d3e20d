import FerryProtocols
import FerryUploads

/// Turns upload events into lines of text. Up to `limit` events in a second get a line each. If there are more events,
/// one line summarizes them.
struct EventSummary: Sendable {
    static let limit = 5
    private static let second = 1.0
    /// The maximum number of seconds that one summary of a burst covers.
    private static let longest = 8.0

    private enum Mode {
        /// Few events arrive. Since the time `since`, `reported` events got a line each.
        case calm(since: Double, reported: Int)
        /// Many events have arrived since the time `since`. Their summary is due `length` seconds after that time.
        case burst(since: Double, length: Double)
    }

    private struct Sum {
        var count = 0
        var bytes: Int128 = 0
        var numbers: ClosedRange<Upload.ID>
        var names: [String] = []

        static let namesShown = 3
    }

    /// True if a summary contains the names of some uploads; false if it contains only numbers. If true and many events
    /// arrive at once, the first of them get a line each before the summary.
    private let names: Bool
    private var mode = Mode.calm(since: -.infinity, reported: 0)
    /// The first events that the next summary covers, at most `limit`. If the summary covers no more than these, each
    /// gets a line of its own instead.
    private var first: [UploadEvent] = []
    private var sums: [UploadEvent.Kind: Sum] = [:]

    init(names: Bool) { self.names = names }

    /// The time on the clock at which the lines about the current burst are due; nil without a burst.
    var deadline: Double? {
        if case .burst(let since, let length) = mode { since + length } else { nil }
    }

    mutating func add(_ events: [UploadEvent], now: Double) -> [String] {
        let earlier = advance(to: now)
        guard !events.isEmpty else { return earlier }
        guard case .calm(var since, var reported) = mode else {
            gather(events)
            return earlier
        }
        if now - since >= Self.second { (since, reported) = (now, 0) }
        guard reported + events.count > Self.limit else {
            mode = .calm(since: since, reported: reported + events.count)
            return earlier + events.map(\.sentence)
        }
        guard events.count > Self.limit else {
            // If no more events come before the deadline, each of these gets a line.
            mode = .burst(since: since, length: Self.second)
            gather(events)
            return earlier
        }
        mode = .burst(since: now, length: Self.second)
        let room = names ? Self.limit - reported : 0
        gather(Array(events.dropFirst(room)))
        return earlier + events.prefix(room).map(\.sentence) + [takeSums()]
    }

    mutating func advance(to now: Double) -> [String] {
        guard case .burst(let since, let length) = mode, now - since >= length else { return [] }
        let count = sums.values.reduce(0) { $0 + $1.count }
        guard count > Self.limit else {
            mode = .calm(since: now, reported: count)
            return takeFirst()
        }
        let goesOn = Double(count) > length * Double(Self.limit)
        mode =
            goesOn
            ? .burst(since: now, length: min(Self.longest, length * 2)) : .calm(since: now, reported: 0)
        return ["in the last \(length > 1 ? "\(Int(length)) seconds" : "second") " + takeSums()]
    }

    /// Returns the lines for all events that were not reported yet.
    mutating func finish() -> [String] {
        mode = .calm(since: -.infinity, reported: 0)
        let count = sums.values.reduce(0) { $0 + $1.count }
        return count > Self.limit ? [takeSums()] : takeFirst()
    }

    private mutating func gather(_ events: [UploadEvent]) {
        first += events.prefix(max(0, Self.limit - first.count))
        for item in events {
            let id = item.upload.id
            var sum = sums[item.kind] ?? Sum(numbers: id...id)
            sum.count += 1
            sum.bytes += Int128(item.upload.size)
            sum.numbers = min(sum.numbers.lowerBound, id)...max(sum.numbers.upperBound, id)
            if sum.names.count < Sum.namesShown { sum.names.append(PlainText.numbered(item.upload)) }
            sums[item.kind] = sum
        }
    }

    private mutating func takeFirst() -> [String] {
        defer { (first, sums) = ([], [:]) }
        return first.map(\.sentence)
    }

    /// Returns a line with the number of events of each kind, and forgets the events.
    /// Example without names:
    /// `12 added (1.2 GiB), numbers 4712 to 4723; 137 done (3.1 GiB), up to number 4711`.
    private mutating func takeSums() -> String {
        defer { (first, sums) = ([], [:]) }
        // If an upload is done, the summary leaves out the uploads that began or resumed sending.
        let kinds = UploadEvent.Kind.allCases.filter {
            sums[.done] == nil || ![.began, .continued].contains($0)
        }
        var parts = kinds.compactMap { kind in sums[kind].map { part(kind, $0) } }
        if sums[.held] != nil || sums[.failed] != nil { parts.append("list failed says why") }
        return parts.joined(separator: "; ")
    }

    private func part(_ kind: UploadEvent.Kind, _ sum: Sum) -> String {
        let amount = kind == .done || kind == .added ? " (\(ByteFormat.sentence(sum.bytes)))" : ""
        let head = "\(Strings.count(sum.count))\(names ? " more" : "") \(Self.word(kind))\(amount)"
        guard names else { return "\(head), \(Self.numbers(sum.numbers, sum.count))" }
        let rest = sum.count - sum.names.count
        let others = rest > 0 ? " and \(Strings.count(rest, "other"))" : ""
        return "\(head): \(sum.names.joined(separator: "; "))\(others)"
    }

    private static func numbers(_ numbers: ClosedRange<Upload.ID>, _ count: Int) -> String {
        if count == 1 { return "number \(numbers.upperBound)" }
        return numbers.count == count
            ? "numbers \(numbers.lowerBound) to \(numbers.upperBound)"
            : "up to number \(numbers.upperBound)"
    }

    private static func word(_ kind: UploadEvent.Kind) -> String {
        switch kind {
        case .added: "added"
        case .resumed: "resumed"
        case .queuedAgain: "queued again"
        case .began: "started"
        case .continued: "resumed sending"
        case .done: "done"
        case .paused: "paused"
        case .offline: "wait for the network"
        case .removed: "removed"
        case .waits: "retry later"
        case .held: "held"
        case .failed: "failed"
        }
    }
}
