/// One event from the terminal.
enum Key: Hashable, Sendable {
    case character(Character)
    case control(Character)
    case alt(Character)
    case up, down, left, right, shiftUp, shiftDown
    case pageUp, pageDown, home, end, insert, delete
    case backspace, tab, backTab, enter, escape
    case function(Int)
    /// Pasted or dropped text, possibly cut off at `InputParser.pasteLimit`.
    case paste(String, isComplete: Bool)
    /// Characters that arrived too fast for typing: possibly a paste.
    case burst(String)
    case press(button: Int, Point)
    case release(Point)
    /// A turn of the wheel, in lines. Negative is up.
    case wheel(Int, Point)
    /// The response to a request for the cursor's position.
    case cursorPosition(Point)

    /// The names of keys without a visible character. The first of a key is shown, and others are accepted.
    static let names: [(key: Key, name: String)] = [
        (" ", "space"), (.up, "Up"), (.down, "Down"), (.left, "Left"), (.right, "Right"),
        (.shiftUp, "Shift-Up"), (.shiftDown, "Shift-Down"), (.home, "Home"), (.end, "End"),
        (.pageUp, "PgUp"), (.pageUp, "PageUp"), (.pageDown, "PgDn"), (.pageDown, "PageDown"),
        (.insert, "Ins"), (.insert, "Insert"), (.delete, "Del"), (.delete, "Delete"),
        (.backspace, "Backspace"), (.tab, "Tab"), (.backTab, "Shift-Tab"), (.enter, "Enter"),
        (.escape, "Esc"), (.escape, "Escape"),
    ]

    var label: String {
        if let name = Self.names.first(where: { $0.key == self })?.name { return name }
        return switch self {
        case .character(let character): String(character)
        case .control(let character): "Ctrl-\(character.uppercased())"
        case .alt(let character): "Alt-\(character)"
        case .function(let number): "F\(number)"
        case .paste, .burst: "paste"
        case .press, .release: "click"
        case .wheel: "wheel"
        case .cursorPosition: "answer"
        default: ""
        }
    }
}

extension Key: ExpressibleByExtendedGraphemeClusterLiteral {
    init(extendedGraphemeClusterLiteral character: Character) { self = .character(character) }
}

extension Key {
    /// Creates the key of a label. The names of keys have any case and form: `Del`, `delete`.
    init?(label: String) {
        if let scalar = label.unicodeScalars.first, label.unicodeScalars.count == 1 {
            guard CellWidth.of(scalar) ?? 0 > 0, scalar != " " else { return nil }
            self = .character(Character(scalar))
            return
        }
        let name = label.lowercased()
        if let key = Self.names.first(where: { $0.name.lowercased() == name })?.key {
            self = key
        } else if let letter = Self.rest(of: name, after: "ctrl-"), ("a"..."z").contains(letter) {
            self = .control(letter)
        } else if let character = Self.rest(of: label, after: "Alt-"), ("!"..."~").contains(character) {
            self = .alt(character)
        } else if name.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number) {
            self = .function(number)
        } else {
            return nil
        }
    }

    var isCharacter: Bool { if case .character = self { true } else { false } }

    /// The label of another key with the same bytes, or `the beginning of other keys`.
    var arrivesAs: String? {
        switch self {
        case .control("h"): Key.backspace.label
        case .control("i"): Key.tab.label
        case .control("j"), .control("m"): Key.enter.label
        case .alt(let character) where "[O]P_^".contains(character): "the beginning of other keys"
        default: nil
        }
    }

    /// Returns the single character after a prefix, in any case.
    private static func rest(of label: String, after prefix: String) -> Character? {
        guard label.count == prefix.count + 1, label.lowercased().hasPrefix(prefix.lowercased()) else {
            return nil
        }
        return label.last
    }
}
