import FerryProtocols
import FerryUploads

/// Characters that came at once: typed over a slow line, sent by a script, or pasted in a terminal that does not say so.
///
/// As commands they could do harm that nobody wanted. As text they can do none.
extension Model {
    mutating func take(burst: String) -> [Effect] {
        let line = Line(burst)
        switch dialog {
        case nil:
            if let line, let effects = open(line) { return effects }
        case .filter:
            if let line { return type(line) }
        case .log(let log):
            guard let line else { break }
            if case .typing = log.search { return type(line) }
            if actions.action(for: .character(line.first), in: .log) == .filter, let rest = line.rest {
                return run(.filter) + type(rest)
            }
        case .details, .help, .add, .prompt, .order, .copy, .removal, .undo, .quit: break
        }
        return paste(burst, isComplete: true)
    }

    /// If the first character opens something that text is typed into, and the others are such text. Nil if they may as
    /// well have been pasted.
    private mutating func open(_ line: Line) -> [Effect]? {
        guard let rest = line.rest else { return nil }
        let opening = actions.action(for: .character(line.first), in: .list)
        switch opening {
        // Most paths that are pasted begin as a filter does.
        case .filter where line.first != "/" || !rest.text.dropFirst().contains("/") || rest.first == "/":
            return run(.filter) + type(rest)
        case .add where rest.first == "/" || rest.first == "~":
            return run(.add) + paste(rest.text, isComplete: true)
        case .limitBandwidth where (try? Bandwidth.ordered(rest.text)) != nil:
            return run(.limitBandwidth) + paste(rest.text, isComplete: true)
        case .help: return run(.help) + paste(rest.text, isComplete: true)
        default: return nil
        }
    }

    /// Where nothing but what is shown depends on it, so that Enter does no harm either.
    private mutating func type(_ line: Line) -> [Effect] {
        let effects = paste(line.text, isComplete: true)
        return line.isEntered ? effects + run(.confirm) : effects
    }

    /// One line, not empty.
    private struct Line {
        var text: String
        /// Whether Enter followed it.
        var isEntered: Bool

        /// Nil for several lines.
        init?(_ burst: String) {
            isEntered = burst.hasSuffix("\n")
            text = isEntered ? String(burst.dropLast()) : burst
            if text.isEmpty || text.contains(where: \.isNewline) { return nil }
        }

        var first: Character { text.first ?? " " }

        /// Without the first character.
        var rest: Line? { Line(text.dropFirst() + (isEntered ? "\n" : "")) }
    }
}
