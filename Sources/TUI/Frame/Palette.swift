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

    var tier: Tier

    /// - Parameter onCursorLine: The line under the cursor keeps its roles and gets a background, or reverse video
    ///   where there are no colours to spare.
    func style(_ role: Role, onCursorLine: Bool) -> Style {
        var style = plain(role)
        guard onCursorLine else { return style }
        if tier == .full, role != .dialog, role != .selection, role != .banner {
            style.background = 236
            style.attributes.insert(.bold)
            style.attributes.remove(.dim)
        } else {
            style.foreground = nil
            style.attributes.remove(.dim)
            style.attributes.formSymmetricDifference(.reverse)
        }
        return style
    }

    private func plain(_ role: Role) -> Style {
        switch role {
        case .normal, .dialog: Style()
        case .dim: Style(foreground: pick(nil, 245), attributes: dimWithoutColour)
        case .queued: Style(foreground: pick(nil, 248))
        case .title: Style(attributes: .bold)
        case .header: Style(foreground: pick(nil, 245), attributes: tier == .full ? [] : .underline)
        case .key: Style(foreground: pick(6, 80), attributes: .bold)
        case .escape: Style(foreground: pick(5, 176), attributes: dimWithoutColour)
        case .running, .bar: Style(foreground: pick(4, 75))
        case .done: Style(foreground: pick(2, 71))
        case .failed: Style(foreground: pick(1, 203), attributes: .bold)
        case .paused: Style(foreground: pick(3, 179))
        case .waiting: Style(foreground: pick(3, 214))
        case .barRest: Style(foreground: pick(nil, 240), attributes: dimWithoutColour)
        case .banner: Style(attributes: [.reverse, .bold])
        case .warning: Style(foreground: pick(3, 214), attributes: .bold)
        case .selection: Style(attributes: .reverse)
        case .field: Style(attributes: .underline)
        }
    }

    private var dimWithoutColour: Attributes { tier == .full ? [] : .dim }

    private func pick(_ basic: Int?, _ full: Int?) -> Int? {
        switch tier {
        case .mono: nil
        case .basic: basic
        case .full: full
        }
    }
}
