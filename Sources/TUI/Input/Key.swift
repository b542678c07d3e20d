/// One thing a person did at the keyboard or with the mouse.
enum Key: Hashable, Sendable {
    case character(Character)
    case control(Character)
    case alt(Character)
    case up, down, left, right, shiftUp, shiftDown
    case pageUp, pageDown, home, end, insert, delete
    case backspace, tab, backTab, enter, escape
    case function(Int)
    /// Text that was pasted or dropped. `isComplete` is false if it was longer than the parser takes.
    case paste(String, isComplete: Bool)
    /// Characters, line ends and tabs that came so fast that they may have been pasted.
    case burst(String)
    case press(button: Int, Point)
    case release(Point)
    /// Lines to move: negative is up.
    case wheel(Int, Point)
    /// Nobody's doing: the terminal was asked where its cursor is.
    case cursorPosition(Point)

    /// As written in hints and help.
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
