import FerryFiles

/// The choices that the configuration leaves to the terminal and the environment.
extension Program {
    static func wantsUnicode(
        _ choice: Screen.Configuration.GlyphChoice, _ session: TerminalSession
    ) -> Bool {
        switch choice {
        case .auto: session.isUnicode
        case .unicode: true
        case .ascii: false
        }
    }

    static func wantsColour(_ colour: Screen.Configuration.Colour) -> Bool {
        switch colour {
        case .never: false
        case .always, .direct: true
        case .auto: (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        }
    }
}
