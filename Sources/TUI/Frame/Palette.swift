/// What a role looks like in each tier of terminals.
struct Palette: Sendable {
    enum Tier: Sendable, CaseIterable {
        /// No colours, or none wanted.
        case mono
        /// The eight or sixteen of the terminal's own choice.
        case basic
        /// The fixed cube of 256.
        case full
        /// Any of 24 bits.
        case direct

        /// - Parameter areDirect: The numbers of colours are made of their parts; only the first eight are a palette's.
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

    /// Colours are the terminal's numbers; nil is the terminal's own, so that light and dark backgrounds both work.
    struct Style: Hashable, Sendable {
        var foreground: Int?
        var background: Int?
        var attributes: TextAttributes = []
    }

    let tier: Tier
    let theme: Theme

    /// - Parameter tier: What the terminal can do.
    init(tier: Tier, theme: Theme = .standard) {
        self.tier = theme.hasColours ? tier : .mono
        self.theme = theme
    }

    /// - Parameter onCursorLine: The line under the cursor keeps its roles and gets a background, or reverse video
    ///   where there are no colours to spare.
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

    /// True if the role is set apart by a shade, of which the few colours of `basic` have none.
    private func hasShades(_ role: Role) -> Bool {
        (tier == .full || tier == .direct) && number(theme[role].colour) != nil
    }
}
