/// The themes that come with Ferry.
///
/// The tests compute the contrast of each role that carries text, in terminals of 256 colours. It is at least 4.5 to 1
/// to the theme's background and to the cursor's line, and 7 to 1 in `highContrast` (WCAG 2.2, 1.4.3 and 1.4.6).
extension Theme {
    /// The theme for dark backgrounds.
    public static let standard = Theme(cursorLine: Colour(nil, 235)) { Look(colour: onDark($0)) }
    /// The theme for light backgrounds.
    public static let light = Theme(cursorLine: Colour(nil, 254)) { Look(colour: onLight($0)) }
    /// The theme of white on black, whatever the terminal's colours are.
    public static let highContrast = Theme(background: Colour(nil, 16)) { role in
        Look(colour: onBlack(role), removed: .dim)
    }
    /// The theme without colours.
    public static let mono = Theme { _ in Look() }

    /// The themes by the names that users choose.
    public static let builtIn: KeyValuePairs<String, Theme> = [
        "default": standard, "light": light, "high-contrast": highContrast, "mono": mono,
    ]

    private static func onDark(_ role: Role) -> Colour {
        switch role {
        case .normal, .dialog, .title, .banner, .selection, .field: Colour(nil, nil)
        case .dim, .header: Colour(nil, 246)
        case .queued: Colour(nil, 248)
        case .key: Colour(6, 80)
        case .escape: Colour(5, 176)
        case .running, .bar, .graph: Colour(4, 75)
        case .done: Colour(2, 71)
        case .failed: Colour(1, 203)
        case .paused: Colour(3, 179)
        case .waiting, .warning: Colour(3, 214)
        case .barRest: Colour(nil, 240)
        }
    }

    /// Returns the colour on a light background, where yellow and cyan are unreadable.
    private static func onLight(_ role: Role) -> Colour {
        switch role {
        case .normal, .dialog, .title, .banner, .selection, .field: Colour(nil, nil)
        case .dim, .header: Colour(nil, 240)
        case .queued: Colour(nil, 238)
        case .key: Colour(4, 24)
        case .escape: Colour(5, 90)
        case .running, .bar, .graph: Colour(4, 25)
        case .done: Colour(2, 22)
        case .failed: Colour(1, 124)
        case .paused: Colour(5, 58)
        case .waiting, .warning: Colour(5, 94)
        case .barRest: Colour(nil, 250)
        }
    }

    private static func onBlack(_ role: Role) -> Colour {
        switch role {
        case .normal, .dialog, .title, .banner, .selection, .field: Colour(nil, 231)
        case .dim, .header, .queued: Colour(nil, 252)
        case .key, .running, .bar, .graph: Colour(6, 51)
        case .escape: Colour(5, 219)
        case .done: Colour(2, 120)
        case .failed: Colour(1, 217)
        case .paused, .waiting, .warning: Colour(3, 226)
        case .barRest: Colour(nil, 245)
        }
    }
}
