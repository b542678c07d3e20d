import FerryUploads

/// The glyphs, the style of graphs, the key bindings and the time zone, as the terminal and the configuration set them.
struct Appearance: Sendable {
    var glyphs = Glyphs(isUnicode: true)
    /// The style of graphs that the user chose; nil for the best one that the terminal shows.
    var wantedGraph: GraphStyle?
    var actions = ActionTable.standard
    var zone = ZoneRules.local
    /// Compares the second argument, a width in cells, with the C library's width of the scalar. Returns true if they
    /// are equal. If they differ, the scalar is drawn as an escape.
    var agrees: @Sendable (Unicode.Scalar, Int) -> Bool = { _, _ in true }

    /// The graph style to draw: ASCII if the terminal shows no Unicode. Otherwise it is the user's choice, or braille
    /// if the user chose none. Computed on each use, because `WidthProbe` can change `glyphs` to ASCII after the start.
    var graph: GraphStyle { glyphs.isUnicode ? wantedGraph ?? .braille : .ascii }

    func safe(_ text: String) -> SafeText { SafeText(text, agrees: agrees) }

    func truncated(_ text: String, to columns: Int) -> SafeText {
        safe(text).truncated(to: columns, ellipsis: glyphs.ellipsis)
    }

    func truncatedAtStart(_ text: String, to columns: Int) -> SafeText {
        safe(text).truncatedAtStart(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Returns the name in at most `columns` cells, with escapes for undrawable characters. If the name is too long,
    /// an ellipsis replaces the middle.
    func fitted(_ name: String, to columns: Int) -> SafeText {
        safe(name).fitted(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Returns a typed character for the screen, as an escape if it is undrawable. Unlike in other text, a backslash is
    /// not doubled: the user sees what was typed.
    func typed(_ character: Character) -> SafeText {
        character == "\\" ? SafeText(units: [.init(text: "\\", width: 1)]) : safe(String(character))
    }
}
