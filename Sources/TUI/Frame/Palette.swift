/// The colours and attributes of each role in the colours of the terminal.
struct Palette: Sendable {
    enum Tier: Sendable, CaseIterable {
        /// No colours: the terminal has none, or the user wants none.
        case mono
        /// The 8 or 16 colours that the terminal defines.
        case basic
        /// The fixed 256 colours of xterm.
        case full
        /// 24-bit colours.
        case direct

        /// - Parameter areDirect: True if the terminal reads numbers from 8 on as RGB values.
        init(colours: Int, areDirect: Bool) {
            self =
                switch colours {
                case ..<8: .mono
                case 1 << 24 where areDirect: .direct
                case 256... where !areDirect: .full
                default: .basic
                }
        }
    }

    /// The style of text. A colour of nil is the terminal's default.
    struct Style: Hashable, Sendable {
        var foreground: Int?
        var background: Int?
        var attributes: TextAttributes = []
    }

    let tier: Tier
    let theme: Theme

    init(tier: Tier, theme: Theme = .standard) {
        self.tier = theme.hasColours ? tier : .mono
        self.theme = theme
    }

    /// Returns the style of a role. In the cursor's line, text is never dim. It is bold on the theme's `cursorLine`;
    /// without one, and for some roles, it has reverse video in the normal colour.
    func style(_ role: Role, onCursorLine: Bool) -> Style {
        var style = Style(
            foreground: number(theme[role].colour), background: number(theme.background),
            attributes: attributes(role).union(theme[role].added).subtracting(theme[role].removed))
        guard onCursorLine else { return style }
        style.attributes.remove(.dim)
        if let background = number(theme.cursorLine), ![.dialog, .selection, .banner].contains(role) {
            style.background = background
            style.attributes.insert(.bold)
        } else {
            style.foreground = number(theme[.normal].colour)
            style.attributes.formSymmetricDifference(.reverse)
        }
        return style
    }

    private func number(_ colour: Theme.Colour) -> Int? {
        switch tier {
        case .mono: nil
        case .basic: colour.basic
        case .full: colour.full
        case .direct: colour.exact?.directNumber
        }
    }

    private func attributes(_ role: Role) -> TextAttributes {
        switch role {
        case .normal, .dialog, .queued, .running, .bar, .graph, .done, .paused, .waiting: []
        case .dim, .escape, .barRest: hasShades(role) ? [] : .dim
        case .title, .key, .failed, .warning: .bold
        case .header: hasShades(role) ? [] : .underline
        case .banner: [.reverse, .bold]
        case .selection: .reverse
        case .field: .underline
        }
    }

    /// True if the role's colour is distinct enough without an attribute.
    private func hasShades(_ role: Role) -> Bool {
        (tier == .full || tier == .direct) && number(theme[role].colour) != nil
    }
}

/// Attributes of text besides its colour.
package struct TextAttributes: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = TextAttributes(rawValue: 1)
    package static let dim = TextAttributes(rawValue: 2)
    package static let reverse = TextAttributes(rawValue: 4)
    package static let underline = TextAttributes(rawValue: 8)
}
