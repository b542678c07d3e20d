/// Which colours the roles have.
///
/// In terminals of 256 colours each that carries text has a contrast of 4.5 to 1 at least to the background it is made for,
/// with the cursor's line too, and 7 to 1 in `highContrast` (WCAG 2.2, 1.4.3 and 1.4.6); the tests compute it.
public enum Theme: String, CaseIterable, Hashable, Sendable {
    /// For dark backgrounds.
    case standard = "default"
    /// For light backgrounds.
    case light
    /// White on black, whatever the terminal has.
    case highContrast = "high-contrast"
    /// No colours.
    case mono

    /// A palette number in terminals of 8 or 16 colours, and one in those of 256; nil is the terminal's own.
    struct Colour {
        var basic: Int?
        var full: Int?

        init(_ basic: Int?, _ full: Int?) {
            self.basic = basic
            self.full = full
        }
    }

    func colour(_ role: Role) -> Colour {
        switch self {
        case .standard: Self.onDark(role)
        case .light: Self.onLight(role)
        case .highContrast: Self.onBlack(role)
        case .mono: Colour(nil, nil)
        }
    }

    /// Behind everything, of 256 colours; nil is the terminal's own.
    var background: Int? { self == .highContrast ? 16 : nil }

    /// Behind the cursor's line, of 256 colours; nil where it is in reverse video.
    var cursorLine: Int? {
        switch self {
        case .standard: 235
        case .light: 254
        case .highContrast, .mono: nil
        }
    }

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

    /// Yellow and cyan cannot be read on white.
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
        case .waiting, .warning: Colour(5, 88)
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
