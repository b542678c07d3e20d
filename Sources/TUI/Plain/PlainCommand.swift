import FerryProtocols
import FerryUploads

/// What a typed line asks for.
enum PlainCommand: Hashable, Sendable {
    case help
    case list(Tab, UploadFilter)
    case show(UploadNumbers)
    /// The paths as typed, which may be quoted, patterns or addresses; no destination for the usual one.
    case add(String, destination: String?)
    case pause(UploadSelection)
    case resume(UploadSelection)
    case retry(UploadSelection)
    case remove(UploadSelection)
    case move(UploadSelection, QueueMove)
    /// Nil for what the configuration says.
    case limit(Bandwidth?, LimitScope)
    /// Which limits hold.
    case limits
    case parallel(Int)
    case undo
    case redo
    case now
    case detach
    case quit

    /// Nil for a line without anything on it.
    static func parse(_ line: String) throws(PlainMistake) -> PlainCommand? {
        let text = line.drop(while: \.isWhitespace)
        let word = text.prefix { !$0.isWhitespace }
        guard !word.isEmpty else { return nil }
        let rest = text[word.endIndex...]
        let words = rest.split(whereSeparator: \.isWhitespace)
        let verb = try PlainVerb(word)
        switch verb {
        case .help: return .help
        case .list: return try list(words, rest)
        case .show: return .show(try numbers(words, verb))
        case .add: return try add(words, rest)
        case .pause: return .pause(try selection(words, verb, ["all": .all]))
        case .resume: return .resume(try selection(words, verb, ["all": .all]))
        case .retry: return .retry(try selection(words, verb, ["failed": .failed]))
        case .remove: return .remove(try selection(words, verb, ["done": .done]))
        case .move: return try move(words)
        case .limit: return try limit(words, rest)
        case .parallel: return .parallel(try count(words))
        case .undo: return .undo
        case .redo: return .redo
        case .now: return .now
        case .detach: return .detach
        case .quit: return .quit
        }
    }

    private static func list(_ words: [Substring], _ rest: Substring) throws(PlainMistake) -> PlainCommand {
        let tab = words.first.flatMap { word in
            Tab.allCases.first { $0.title.lowercased() == word.lowercased() }
        }
        let narrowing = tab == nil ? rest : words.first.map { rest[$0.endIndex...] } ?? rest
        let filter = UploadFilter(String(narrowing))
        if let problem = filter.problem { throw PlainMistake(problem) }
        return .list(tab ?? .all, filter)
    }

    /// A last `to` and what follows it name the destination, unless it is part of a quoted path.
    private static func add(_ words: [Substring], _ rest: Substring) throws(PlainMistake) -> PlainCommand {
        var (paths, destination) = (rest, String?.none)
        if words.count >= 2, words[words.count - 2] == "to", let last = words.last,
            !last.contains(where: "'\"\\".contains)
        {
            let before = rest[..<words[words.count - 2].startIndex]
            if !before.dropLast().hasSuffix("\\") { (paths, destination) = (before, String(last)) }
        }
        guard paths.contains(where: { !$0.isWhitespace }) else {
            throw PlainMistake("add what? \(PlainVerb.add.usage)")
        }
        return .add(String(paths), destination: destination)
    }

    private static func move(_ words: [Substring]) throws(PlainMistake) -> PlainCommand {
        guard let last = words.last, let move = QueueMove(rawValue: last.lowercased()) else {
            throw PlainMistake("move where to? \(PlainVerb.move.usage)")
        }
        return .move(try numbers(words.dropLast(), .move).selection, move)
    }

    /// What follows `to` or `batch` is a name, which may have spaces.
    private static func limit(_ words: [Substring], _ rest: Substring) throws(PlainMistake) -> PlainCommand {
        guard !words.isEmpty else { return .limits }
        let mark = words.firstIndex { ["to", "batch"].contains($0.lowercased()) } ?? words.endIndex
        let text = words[..<mark].joined()
        guard !text.isEmpty else { throw PlainMistake("how much? \(PlainVerb.limit.usage)") }
        var scope = LimitScope.total
        if mark < words.endIndex {
            guard let first = words[mark...].dropFirst().first, let last = words.last else {
                throw PlainMistake("which one? \(PlainVerb.limit.usage)")
            }
            let name = String(rest[first.startIndex..<last.endIndex])
            scope = words[mark].lowercased() == "to" ? .destination(name) : .batch(name)
        }
        do throws(UploadFailure) { return .limit(try Bandwidth.ordered(text), scope) } catch {
            throw PlainMistake("'\(text)' is not an amount; limit 20M, limit 800K, limit off or limit auto")
        }
    }

    private static func count(_ words: [Substring]) throws(PlainMistake) -> Int {
        guard words.count == 1, let number = words.first.flatMap({ Int($0) }), number > 0 else {
            throw PlainMistake("how many at once? \(PlainVerb.parallel.usage)")
        }
        return number
    }

    private static func selection(
        _ words: [Substring], _ verb: PlainVerb, _ named: [String: UploadSelection]
    ) throws(PlainMistake) -> UploadSelection {
        if words.count == 1, let selection = words.first.flatMap({ named[$0.lowercased()] }) {
            return selection
        }
        return try numbers(words, verb).selection
    }

    private static func numbers(
        _ words: some Sequence<Substring>, _ verb: PlainVerb
    ) throws(PlainMistake) -> UploadNumbers {
        let numbers: UploadNumbers
        do throws(UploadFailure) { numbers = try UploadNumbers(words: words) } catch {
            throw PlainMistake("\(error.summary); \(verb.usage)")
        }
        guard !numbers.ranges.isEmpty else {
            throw PlainMistake("\(verb.rawValue) which ones? \(verb.usage)")
        }
        return numbers
    }
}
