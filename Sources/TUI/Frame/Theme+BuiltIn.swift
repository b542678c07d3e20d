/// The themes that come with Ferry.
///
/// The tests compute the contrast of each role that carries text, in terminals of 256 colours. It is at least 4.5 to 1
/// to the theme's background and to the cursor's line, and 7 to 1 in `highContrast` (WCAG 2.2, 1.4.3 and 1.4.6).
extension Theme {
    /// The theme for dark backgrounds.
    public static let standard = Theme(cursorLine: Colour(nil, 235)) { Look(colour: colour($0, \.dark)) }
    /// The theme for light backgrounds.
    public static let light = Theme(cursorLine: Colour(nil, 254)) { Look(colour: colour($0, \.light)) }
    /// The theme of white on black, whatever the terminal's colours are.
    public static let highContrast = Theme(background: Colour(nil, 16)) { role in
        Look(colour: colour(role, \.black), removed: .dim)
    }
    /// The theme without colours.
    public static let mono = Theme { _ in Look() }

    /// The themes by the names that users choose.
    public static let builtIn: KeyValuePairs<String, Theme> = [
        "default": standard, "light": light, "high-contrast": highContrast, "mono": mono,
    ]

    private typealias Row = (roles: [Role], dark: Colour, light: Colour, black: Colour)

    /// The colours of each role on a dark, on a light and on a black background. Yellow and cyan are unreadable on a light
    /// one.
    private static let colours: [Row] = [
        ([.normal, .dialog, .title, .banner, .selection, .field], Colour(), Colour(), Colour(nil, 231)),
        ([.dim, .header], Colour(nil, 246), Colour(nil, 240), Colour(nil, 252)),
        ([.queued], Colour(nil, 248), Colour(nil, 238), Colour(nil, 252)),
        ([.key], Colour(6, 80), Colour(4, 24), Colour(6, 51)),
        ([.escape], Colour(5, 176), Colour(5, 90), Colour(5, 219)),
        ([.running, .bar, .graph], Colour(4, 75), Colour(4, 25), Colour(6, 51)),
        ([.done], Colour(2, 71), Colour(2, 22), Colour(2, 120)),
        ([.failed], Colour(1, 203), Colour(1, 124), Colour(1, 217)),
        ([.paused], Colour(3, 179), Colour(5, 58), Colour(3, 226)),
        ([.waiting, .warning], Colour(3, 214), Colour(5, 94), Colour(3, 226)),
        ([.barRest], Colour(nil, 240), Colour(nil, 250), Colour(nil, 245)),
    ]

    private static func colour(_ role: Role, _ column: KeyPath<Row, Colour>) -> Colour {
        colours.first { $0.roles.contains(role) }?[keyPath: column] ?? Colour()
    }
}
