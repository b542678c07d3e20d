import FerryProtocols
import FerryUploads

/// A command that the user types as a line in the line mode, which has no screen.
enum PlainCommand: Hashable, Sendable {
    case help
    case list(Tab, RowFilter)
    case show(UploadNumbers)
    /// Adds files: paths, patterns and `file://` URLs, quoted if necessary.
    case add(String, destination: String?)
    case pause(UploadSelection)
    case resume(UploadSelection)
    case retry(UploadSelection)
    case remove(UploadSelection)
    case move(UploadSelection, QueueMove)
    /// A bandwidth limit; nil for the configured one.
    case limit(Bandwidth?, LimitScope)
    case limits
    case parallel(Int)
    case undo
    case redo
    case now
    case detach
    case quit

    /// Parses a line; nil for a line without words.
    static func parse(_ line: String) throws(PlainCommandError) -> PlainCommand? {
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

    private static func list(_ words: [Substring], _ rest: Substring) throws(PlainCommandError)
        -> PlainCommand
    {
        let tab = words.first.flatMap { word in
            Tab.allCases.first { $0.title.lowercased() == word.lowercased() }
        }
        let narrowing = tab == nil ? rest : words.first.map { rest[$0.endIndex...] } ?? rest
        let filter = RowFilter(String(narrowing))
        if let problem = filter.problem { throw PlainCommandError(problem) }
        return .list(tab ?? .all, filter)
    }

    /// Reads the words of `add`. If the last but one is `to` outside of quotes, the last is the destination.
    private static func add(_ words: [Substring], _ rest: Substring) throws(PlainCommandError) -> PlainCommand
    {
        var (paths, destination) = (rest, String?.none)
        if words.count >= 2, words[words.count - 2] == "to", let last = words.last,
            !last.contains(where: "'\"\\".contains)
        {
            let before = rest[..<words[words.count - 2].startIndex]
            if !before.dropLast().hasSuffix("\\") { (paths, destination) = (before, String(last)) }
        }
        guard paths.contains(where: { !$0.isWhitespace }) else {
            throw PlainCommandError("add what? \(PlainVerb.add.usage)")
        }
        return .add(String(paths), destination: destination)
    }

    private static func move(_ words: [Substring]) throws(PlainCommandError) -> PlainCommand {
        guard let last = words.last, let move = QueueMove(rawValue: last.lowercased()) else {
            throw PlainCommandError("move where to? \(PlainVerb.move.usage)")
        }
        return .move(try numbers(words.dropLast(), .move).selection, move)
    }

    /// Reads the words of `limit`. The name after `to` or `batch` can contain blanks.
    private static func limit(_ words: [Substring], _ rest: Substring) throws(PlainCommandError)
        -> PlainCommand
    {
        guard !words.isEmpty else { return .limits }
        let mark = words.firstIndex { ["to", "batch"].contains($0.lowercased()) } ?? words.endIndex
        let text = words[..<mark].joined()
        guard !text.isEmpty else { throw PlainCommandError("how much? \(PlainVerb.limit.usage)") }
        var scope = LimitScope.total
        if mark < words.endIndex {
            guard let first = words[mark...].dropFirst().first, let last = words.last else {
                throw PlainCommandError("which one? \(PlainVerb.limit.usage)")
            }
            let name = String(rest[first.startIndex..<last.endIndex])
            scope = words[mark].lowercased() == "to" ? .destination(name) : .batch(name)
        }
        do throws(UploadFailure) { return .limit(try Bandwidth.parse(text), scope) } catch {
            throw PlainCommandError(
                "'\(text)' is not an amount; limit 20M, limit 800K, limit off or limit auto")
        }
    }

    private static func count(_ words: [Substring]) throws(PlainCommandError) -> Int {
        guard words.count == 1, let number = words.first.flatMap({ Int($0) }), number > 0 else {
            throw PlainCommandError("how many at once? \(PlainVerb.parallel.usage)")
        }
        return number
    }

    private static func selection(
        _ words: [Substring], _ verb: PlainVerb, _ named: [String: UploadSelection]
    ) throws(PlainCommandError) -> UploadSelection {
        if words.count == 1, let selection = words.first.flatMap({ named[$0.lowercased()] }) {
            return selection
        }
        return try numbers(words, verb).selection
    }

    private static func numbers(
        _ words: some Sequence<Substring>, _ verb: PlainVerb
    ) throws(PlainCommandError) -> UploadNumbers {
        let numbers: UploadNumbers
        do throws(UploadFailure) { numbers = try UploadNumbers(words: words) } catch {
            throw PlainCommandError("\(error.summary); \(verb.usage)")
        }
        guard !numbers.ranges.isEmpty else {
            throw PlainCommandError("\(verb.rawValue) which ones? \(verb.usage)")
        }
        return numbers
    }
}
