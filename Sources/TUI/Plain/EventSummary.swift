import FerryProtocols
import FerryUploads

/// Turns upload events into lines: one for each of up to `limit` events in a second, else one for all.
struct EventSummary: Sendable {
    static let limit = 5
    private static let second = 1.0
    /// The maximum number of seconds of one summary.
    private static let longest = 8.0

    private enum Mode {
        /// Few events arrive: `reported` of them got a line since this time.
        case calm(since: Double, reported: Int)
        /// Many events have arrived since this time. Their summary is due after `length` seconds.
        case burst(since: Double, length: Double)
    }

    private struct Sum {
        var count = 0
        var bytes: Int128 = 0
        var numbers: ClosedRange<Upload.ID>
        var names: [String] = []

        static let namesShown = 3
    }

    /// True if a summary has names instead of numbers, and the first events of a burst get a line each before it.
    private let names: Bool
    private var mode = Mode.calm(since: -.infinity, reported: 0)
    /// The first events that the next summary covers. If there are no others, each gets a line.
    private var first: [UploadEvent] = []
    private var sums: [UploadEvent.Kind: Sum] = [:]

    init(names: Bool) { self.names = names }

    var deadline: Double? { if case .burst(let since, let length) = mode { since + length } else { nil } }

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

    /// Returns a line such as `12 added (1.2 GiB), numbers 4712 to 4723; 137 done (3.1 GiB), up to number 4711`, and
    /// forgets the events.
    private mutating func takeSums() -> String {
        defer { (first, sums) = ([], [:]) }
        // Uploads that are done also began.
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
