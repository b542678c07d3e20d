/// One event of the keyboard or the mouse.
enum Key: Hashable, Sendable {
    case character(Character)
    case control(Character)
    case alt(Character)
    case up, down, left, right, shiftUp, shiftDown
    case pageUp, pageDown, home, end, insert, delete
    case backspace, tab, backTab, enter, escape
    case function(Int)
    /// Pasted or dropped text. `isComplete` is false if it exceeds the parser's limit.
    case paste(String, isComplete: Bool)
    /// Characters, line ends and tabs that arrived too fast for typing: they may be a paste.
    case burst(String)
    case press(button: Int, Point)
    case release(Point)
    /// A turn of the wheel, in lines. Negative is up.
    case wheel(Int, Point)
    /// The terminal's reply to a request for the cursor's position. No user pressed it.
    case cursorPosition(Point)

    /// The key as hints and help write it.
    var label: String {
        switch self {
        case .character(" "): "space"
        case .character(let character): String(character)
        case .control(let character): "Ctrl-\(character.uppercased())"
        case .alt(let character): "Alt-\(character)"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .shiftUp: "Shift-Up"
        case .shiftDown: "Shift-Down"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .home: "Home"
        case .end: "End"
        case .insert: "Ins"
        case .delete: "Del"
        case .backspace: "Backspace"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .enter: "Enter"
        case .escape: "Esc"
        case .function(let number): "F\(number)"
        case .paste, .burst: "paste"
        case .press, .release: "click"
        case .wheel: "wheel"
        case .cursorPosition: "answer"
        }
    }
}
