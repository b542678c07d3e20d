/// What a role looks like in each tier of terminals.
struct Palette: Sendable {
    enum Tier: Sendable, CaseIterable {
        /// No colours, or none wanted.
        case mono
        /// The eight or sixteen of the terminal's own choice.
        case basic
        /// The fixed cube of 256.
        case full

        init(colours: Int) {
            self = colours >= 256 ? .full : colours >= 8 ? .basic : .mono
        }
    }

    struct Attributes: OptionSet, Hashable, Sendable {
        let rawValue: UInt8
        static let bold = Attributes(rawValue: 1)
        static let dim = Attributes(rawValue: 2)
        static let reverse = Attributes(rawValue: 4)
        static let underline = Attributes(rawValue: 8)
    }

    /// Colours are palette numbers; nil is the terminal's own, so that light and dark backgrounds both work.
    struct Style: Hashable, Sendable {
        var foreground: Int?
        var background: Int?
        var attributes: Attributes = []
    }

    let tier: Tier
    let theme: Theme

    /// - Parameter tier: What the terminal can do.
    init(tier: Tier, theme: Theme = .standard) {
        self.tier = theme == .mono ? .mono : tier
        self.theme = theme
    }

    /// - Parameter onCursorLine: The line under the cursor keeps its roles and gets a background, or reverse video
    ///   where there are no colours to spare.
    func style(_ role: Role, onCursorLine: Bool) -> Style {
        var style = plain(role)
        guard onCursorLine else { return style }
        if tier == .full, let background = theme.cursorLine, role != .dialog, role != .selection,
            role != .banner
        {
            style.background = background
            style.attributes.insert(.bold)
            style.attributes.remove(.dim)
        } else {
            style.foreground = tier == .full ? theme.colour(.normal).full : nil
            style.attributes.remove(.dim)
            style.attributes.formSymmetricDifference(.reverse)
        }
        return style
    }

    private func plain(_ role: Role) -> Style {
        Style(
            foreground: foreground(role), background: tier == .full ? theme.background : nil,
            attributes: attributes(role))
    }

    private func foreground(_ role: Role) -> Int? {
        switch tier {
        case .mono: nil
        case .basic: theme.colour(role).basic
        case .full: theme.colour(role).full
        }
    }

    private func attributes(_ role: Role) -> Attributes {
        switch role {
        case .normal, .dialog, .queued, .running, .bar, .graph, .done, .paused, .waiting: []
        case .dim, .escape, .barRest: tier == .full || theme == .highContrast ? [] : .dim
        case .title, .key, .failed, .warning: .bold
        case .header: tier == .full ? [] : .underline
        case .banner: [.reverse, .bold]
        case .selection: .reverse
        case .field: .underline
        }
    }
}
