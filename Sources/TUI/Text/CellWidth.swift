/// The number of cells of a scalar: 0, 1 or 2; nil for one that must not be drawn.
enum CellWidth {
    static func of(_ scalar: Unicode.Scalar) -> Int? {
        let value = scalar.value
        if value >= 0x20, value < 0x7F { return 1 }
        if value < 0xA0 { return nil }
        // Half of a flag (a regional indicator) alone is a letter in a box (UTS #51), drawn in one cell or two.
        if (0x1F1E6...0x1F1FF).contains(value) { return nil }
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
            return nil
        case .nonspacingMark, .enclosingMark:
            return 0
        default:
            break
        }
        // Medial and final Hangul letters join the syllable before them.
        if (0x1160...0x11FF).contains(value) { return 0 }
        return WideScalars.contains(scalar) ? 2 : 1
    }

    /// Returns the cells of a text, with 1 for a scalar that must not be drawn.
    static func of(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + (of($1) ?? 1) }
    }
}
