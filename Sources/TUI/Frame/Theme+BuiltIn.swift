/// The themes that come with Ferry.
///
/// The tests compute the contrast of each role that carries text, in terminals of 256 or more colours. It is at least
/// 4.5 to 1 against the background and against the cursor's line. In `highContrast`, it is at least 7 to 1 (WCAG 2.2,
/// 1.4.3 and 1.4.6). The tests assume a black background for `standard` and a white one for `light`.
extension Theme {
    /// The theme for dark backgrounds.
    package static let standard = Theme(cursorLine: Colour(nil, 235)) { Look(colour: colours($0).dark) }
    /// The theme for light backgrounds.
    package static let light = Theme(cursorLine: Colour(nil, 254)) { Look(colour: colours($0).light) }
    /// The theme of white and bright text on black, or on the own background of terminals of 8 or 16 colours.
    package static let highContrast = Theme(background: Colour(nil, 16)) { role in
        Look(colour: colours(role).black, removed: .dim)
    }
    /// The theme without colours.
    package static let mono = Theme { _ in Look() }

    /// The themes by the names that users choose.
    package static let builtIn: KeyValuePairs<String, Theme> = [
        "default": standard, "light": light, "high-contrast": highContrast, "mono": mono,
    ]

    /// Returns the colours on a dark, a light and a black background. Yellow and cyan are unreadable on a light one.
    private static func colours(_ role: Role) -> (dark: Colour, light: Colour, black: Colour) {
        switch role {
        case .normal, .dialog, .title, .banner, .selection, .field: (Colour(), Colour(), Colour(nil, 231))
        case .dim, .header: (Colour(nil, 246), Colour(nil, 240), Colour(nil, 252))
        case .queued: (Colour(nil, 248), Colour(nil, 238), Colour(nil, 252))
        case .key: (Colour(6, 80), Colour(4, 24), Colour(6, 51))
        case .escape: (Colour(5, 176), Colour(5, 90), Colour(5, 219))
        case .running, .bar, .graph: (Colour(4, 75), Colour(4, 25), Colour(6, 51))
        case .done: (Colour(2, 71), Colour(2, 22), Colour(2, 120))
        case .failed: (Colour(1, 203), Colour(1, 124), Colour(1, 217))
        case .paused: (Colour(3, 179), Colour(5, 58), Colour(3, 226))
        case .waiting, .warning: (Colour(3, 214), Colour(5, 94), Colour(3, 226))
        case .barRest: (Colour(nil, 240), Colour(nil, 250), Colour(nil, 245))
        }
    }
}
