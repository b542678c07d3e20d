import FerryUploads

/// The glyphs, the style of graphs, the key bindings and the time zone, as the terminal and the configuration set them.
struct Appearance: Sendable {
    var glyphs = Glyphs(isUnicode: true)
    /// The style of graphs that the user chose; nil for the best one that the terminal shows.
    var wantedGraph: GraphStyle?
    var actions = ActionTable.standard
    var zone = ZoneRules.local
    /// Returns false for a scalar whose width in cells differs in the C library: it is drawn as an escape.
    var agrees: @Sendable (Unicode.Scalar, Int) -> Bool = { _, _ in true }

    /// Computed on each use: `WidthProbe` can change `glyphs` to ASCII after the start.
    var graph: GraphStyle { glyphs.isUnicode ? wantedGraph ?? .braille : .ascii }

    func safe(_ text: String) -> SafeText { SafeText(text, agrees: agrees) }

    func truncated(_ text: String, to columns: Int) -> SafeText {
        safe(text).truncated(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Returns the first version of a text that fits into `columns` cells, or else the last, truncated.
    func fitting(_ versions: [String], in columns: Int) -> SafeText? {
        let texts = versions.lazy.map(safe)
        let text = texts.first { $0.width <= columns } ?? texts.last
        return text?.truncated(to: columns, ellipsis: glyphs.ellipsis)
    }

    func truncatedAtStart(_ text: String, to columns: Int) -> SafeText {
        safe(text).truncatedAtStart(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Returns the name in at most `columns` cells; an ellipsis replaces the middle of a longer name.
    func fitted(_ name: String, to columns: Int) -> SafeText {
        safe(name).fitted(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Returns a typed character for the screen. A backslash is not doubled: the user sees what was typed.
    func typed(_ character: Character) -> SafeText {
        character == "\\" ? SafeText(units: [.init(text: "\\", width: 1)]) : safe(String(character))
    }
}
