import FerryProtocols
import FerryUploads

/// The filter of the list: terms such as `raw` (in the path), `state:failed`, `to:photos`, `batch:may` and `size>1g`
/// that must all match. `"two words"` are one term, and `!` negates. Only A to Z are compared regardless of case.
struct RowFilter: Hashable, Sendable {
    enum Subject: Hashable, Sendable {
        case path([UInt8])
        case state(Set<StateKind>)
        case target([UInt8])
        case batch([UInt8])
        case largerThan(ByteCount)
        case smallerThan(ByteCount)
    }

    struct Term: Hashable, Sendable {
        var subject: Subject
        var isNegated: Bool
    }

    let text: String
    /// The error in the first invalid term. Invalid terms have no effect.
    private(set) var problem: String?
    private(set) var terms: [Term] = []

    init(_ text: String) {
        self.text = text
        for word in Self.words(of: text) {
            let isNegated = word.hasPrefix("!")
            do throws(Problem) {
                let subject = try Self.subject(isNegated ? String(word.dropFirst()) : word)
                if let subject { terms.append(Term(subject: subject, isNegated: isNegated)) }
            } catch {
                problem = problem ?? error.text
            }
        }
    }

    func fits(_ upload: Upload) -> Bool {
        terms.allSatisfy { term in
            let fits =
                switch term.subject {
                case .path(let word): Self.contains(word, upload.path.bytes)
                case .target(let word):
                    Self.contains(word, upload.target.destination.utf8)
                        || Self.contains(word, upload.target.url.utf8)
                        || Self.contains(word, upload.target.name.utf8)
                case .batch(let word): upload.batch.map { Self.contains(word, $0.utf8) } ?? false
                case .state(let kinds): kinds.contains(StateKind(upload.state))
                case .largerThan(let size): upload.size > size
                case .smallerThan(let size): upload.size < size
                }
            return fits != term.isNegated
        }
    }

    /// The words that users type for states, or begin: `state:fa` finds failed uploads.
    private static let states: [(word: String, kinds: [StateKind])] = [
        ("queued", [.queued]), ("running", [.running]), ("up", [.running]), ("retry", [.waiting]),
        ("waiting", [.waiting, .offline]), ("offline", [.offline]), ("paused", [.paused]), ("held", [.held]),
        ("failed", [.failed]), ("done", [.done]),
    ]

    private struct Problem: Error { var text: String }

    private static func subject(_ word: String) throws(Problem) -> Subject? {
        if word.isEmpty { return nil }
        if let value = value(of: "state:", in: word) {
            guard !value.isEmpty else { return nil }
            let kinds = states.filter { $0.word.hasPrefix(value) }.flatMap(\.kinds)
            guard !kinds.isEmpty else {
                // `up` is the former word for running, which users may still type.
                let known = states.map(\.word).filter { $0 != "up" }
                let hint = Suggestions.hint(for: value, among: known).map { "; \($0)" } ?? ""
                throw Problem(text: "there is no state '\(value)'\(hint)")
            }
            return .state(Set(kinds))
        }
        if let value = value(of: "to:", in: word) { return value.isEmpty ? nil : .target(Array(value.utf8)) }
        if let value = value(of: "batch:", in: word) {
            return value.isEmpty ? nil : .batch(Array(value.utf8))
        }
        for (start, make) in [("size>", Subject.largerThan), ("size<", Subject.smallerThan)] {
            guard let value = value(of: start, in: word) else { continue }
            guard !value.isEmpty else { return nil }
            guard let size = ByteFormat.parse(value) else {
                throw Problem(text: "\(value) is not a size; try size>20M")
            }
            return make(size)
        }
        return .path(word.utf8.map(small))
    }

    private static func value(of start: String, in word: String) -> String? {
        let word = String(decoding: word.utf8.map(small), as: UTF8.self)
        return word.hasPrefix(start) ? String(word.dropFirst(start.count)) : nil
    }

    /// Splits a filter's text at blanks outside double quotes.
    private static func words(of text: String) -> [String] {
        var (words, word, isQuoted) = ([String](), "", false)
        for character in text {
            switch character {
            case "\"": isQuoted.toggle()
            case " " where !isQuoted:
                words.append(word)
                word = ""
            default: word.append(character)
            }
        }
        return (words + [word]).filter { !$0.isEmpty }
    }

    static func small(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }

    /// Returns true if the text contains the word, which has no capital letters, regardless of case.
    static func contains(_ word: [UInt8], _ text: some Collection<UInt8>) -> Bool {
        let found = text.withContiguousStorageIfAvailable { text in
            guard let first = word.first else { return true }
            guard text.count >= word.count else { return false }
            for start in 0...(text.count - word.count) where small(text[start]) == first {
                if word.indices.allSatisfy({ small(text[start + $0]) == word[$0] }) { return true }
            }
            return false
        }
        return found ?? contains(word, Array(text))
    }
}
