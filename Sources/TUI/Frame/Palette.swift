/// The colours and attributes of each `Role` (the purpose of text, such as `title`), limited to the colours that the
/// terminal supports.
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

        /// - Parameter areDirect: True if the terminal reads colour numbers from 8 on as RGB values. Smaller numbers
        ///   are palette numbers.
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

    /// Two colour numbers of the terminal, and the attributes of the text. A colour of nil is the terminal's default,
    /// which fits light and dark backgrounds.
    struct Style: Hashable, Sendable {
        var foreground: Int?
        var background: Int?
        var attributes: TextAttributes = []
    }

    let tier: Tier
    let theme: Theme

    /// - Parameter tier: The colours that the terminal supports. For a theme without colours, `mono` is used instead.
    init(tier: Tier, theme: Theme = .standard) {
        self.tier = theme.hasColours ? tier : .mono
        self.theme = theme
    }

    /// Returns the colours and attributes of a role.
    ///
    /// - Parameter onCursorLine: True for text in the cursor's line, which is never dim. If the theme has a background
    ///   `cursorLine` for this terminal, the text is bold on this background, and keeps its colour. Otherwise the text
    ///   has the normal colour, and reverse video is switched on, or off if the role has it. The roles `dialog`,
    ///   `selection` and `banner` are always drawn in this second way.
    func style(_ role: Role, onCursorLine: Bool) -> Style {
        var style = plain(role)
        guard onCursorLine else { return style }
        if let background = number(theme.cursorLine), role != .dialog, role != .selection,
            role != .banner
        {
            style.background = background
            style.attributes.insert(.bold)
            style.attributes.remove(.dim)
        } else {
            style.foreground = number(theme[.normal].colour)
            style.attributes.remove(.dim)
            style.attributes.formSymmetricDifference(.reverse)
        }
        return style
    }

    private func plain(_ role: Role) -> Style {
        Style(
            foreground: number(theme[role].colour), background: number(theme.background),
            attributes: attributes(role).union(theme[role].added).subtracting(theme[role].removed))
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

    /// True if the terminal has 256 or more colours and the theme gives the role a colour. The role then needs no
    /// attribute to be recognized.
    private func hasShades(_ role: Role) -> Bool {
        (tier == .full || tier == .direct) && number(theme[role].colour) != nil
    }
}
