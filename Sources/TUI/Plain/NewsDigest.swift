import FerryProtocols
import FerryUploads

/// Keeps news readable: a few a second are told one by one, more of them are counted and told together.
struct NewsDigest: Sendable {
    /// How many are told one by one within a second.
    static let limit = 5
    private static let second = 1.0
    /// Seconds that are told of together when a burst goes on.
    private static let longest = 8.0

    private enum Pace {
        case calm(since: Double, told: Int)
        /// More than a few came, or are coming, since this moment; they are told of after so many seconds.
        case burst(since: Double, length: Double)
    }

    private struct Sum {
        var count = 0
        var bytes: Int128 = 0
        var numbers: ClosedRange<Upload.ID>
        var names: [String] = []

        static let namesShown = 3
    }

    /// Whether the first of many are told one by one, and some of the others by name.
    private let names: Bool
    private var pace = Pace.calm(since: -.infinity, told: 0)
    /// The first of what is gathered, in case there is no more of it.
    private var first: [News] = []
    private var sums: [News.Kind: Sum] = [:]

    init(names: Bool) { self.names = names }

    /// When there is something to tell that came before, on the clock.
    var deadline: Double? {
        if case .burst(let since, let length) = pace { return since + length }
        return nil
    }

    mutating func add(_ news: [News], now: Double) -> [String] {
        let earlier = advance(to: now)
        guard !news.isEmpty else { return earlier }
        guard case .calm(var since, var told) = pace else {
            gather(news)
            return earlier
        }
        if now - since >= Self.second { (since, told) = (now, 0) }
        guard told + news.count > Self.limit else {
            pace = .calm(since: since, told: told + news.count)
            return earlier + news.map(\.sentence)
        }
        guard news.count > Self.limit else {
            // So few may be all, and are told by name then.
            pace = .burst(since: since, length: Self.second)
            gather(news)
            return earlier
        }
        pace = .burst(since: now, length: Self.second)
        let room = names ? Self.limit - told : 0
        gather(Array(news.dropFirst(room)))
        return earlier + news.prefix(room).map(\.sentence) + [takeSums()]
    }

    mutating func advance(to now: Double) -> [String] {
        guard case .burst(let since, let length) = pace, now - since >= length else { return [] }
        let count = sums.values.reduce(0) { $0 + $1.count }
        guard count > Self.limit else {
            pace = .calm(since: now, told: count)
            return takeFirst()
        }
        let goesOn = Double(count) > length * Double(Self.limit)
        pace =
            goesOn
            ? .burst(since: now, length: min(Self.longest, length * 2)) : .calm(since: now, told: 0)
        return ["in the last \(length > 1 ? "\(Int(length)) seconds" : "second") " + takeSums()]
    }

    /// Everything that has not been told yet.
    mutating func finish() -> [String] {
        pace = .calm(since: -.infinity, told: 0)
        let count = sums.values.reduce(0) { $0 + $1.count }
        return count > Self.limit ? [takeSums()] : takeFirst()
    }

    private mutating func gather(_ news: [News]) {
        first += news.prefix(max(0, Self.limit - first.count))
        for item in news {
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

    /// `137 done (1.2 GB), up to number 4711; 140 began, up to number 4851`.
    private mutating func takeSums() -> String {
        defer { (first, sums) = ([], [:]) }
        // Where many are done, it goes without saying that many begin.
        let kinds = News.Kind.allCases.filter { sums[.done] == nil || ![.began, .wentOn].contains($0) }
        var parts = kinds.compactMap { kind in sums[kind].map { part(kind, $0) } }
        if sums[.held] != nil || sums[.failed] != nil { parts.append("list failed says why") }
        return parts.joined(separator: "; ")
    }

    private func part(_ kind: News.Kind, _ sum: Sum) -> String {
        let amount = kind == .done || kind == .added ? " (\(ByteFormat.sentence(sum.bytes)))" : ""
        let head = "\(Wording.count(sum.count))\(names ? " more" : "") \(Self.word(kind))\(amount)"
        guard names else { return "\(head), \(Self.numbers(sum.numbers, sum.count))" }
        let rest = sum.count - sum.names.count
        let others = rest > 0 ? " and \(Wording.count(rest, "other"))" : ""
        return "\(head): \(sum.names.joined(separator: "; "))\(others)"
    }

    private static func numbers(_ numbers: ClosedRange<Upload.ID>, _ count: Int) -> String {
        if count == 1 { return "number \(numbers.upperBound)" }
        return numbers.count == count
            ? "numbers \(numbers.lowerBound) to \(numbers.upperBound)"
            : "up to number \(numbers.upperBound)"
    }

    private static func word(_ kind: News.Kind) -> String {
        switch kind {
        case .added: "added"
        case .resumed: "resumed"
        case .queuedAgain: "queued again"
        case .began: "began"
        case .wentOn: "went on"
        case .done: "done"
        case .paused: "paused"
        case .offline: "wait for the network"
        case .removed: "removed"
        case .waits: "are tried again later"
        case .held: "held"
        case .failed: "failed"
        }
    }
}
