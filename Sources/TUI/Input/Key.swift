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
