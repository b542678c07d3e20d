import FerryUploads

/// The glyphs, the style of graphs, the key bindings and the time zone, as the terminal and the configuration set them.
struct Appearance: Sendable {
    var glyphs = Glyphs(isUnicode: true)
    /// The style of graphs that the user chose; nil for the best one that the terminal shows.
    var wantedGraph: GraphStyle?
    var actions = ActionTable.standard
    var zone = ZoneRules.local
    /// Returns true if the C library's width of the scalar equals the second argument, in cells. Scalars for which it
    /// returns false are escaped.
    var agrees: @Sendable (Unicode.Scalar, Int) -> Bool = { _, _ in true }

    /// The graph style to draw: ASCII if the terminal shows no Unicode, otherwise the user's choice. Computed on each
    /// use, because `WidthProbe` can change `glyphs` to ASCII after the start.
    var graph: GraphStyle { glyphs.isUnicode ? wantedGraph ?? .braille : .ascii }

    func safe(_ text: String) -> SafeText { SafeText(text, agrees: agrees) }

    /// Makes text drawable and drops its end beyond a number of columns.
    func truncated(_ text: String, to columns: Int) -> SafeText {
        safe(text).truncated(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Makes text drawable, and drops its beginning if it is too long.
    func truncatedAtStart(_ text: String, to columns: Int) -> SafeText {
        safe(text).truncatedAtStart(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Makes a name drawable, and drops its middle if it is too long.
    func fitted(_ name: String, to columns: Int) -> SafeText {
        safe(name).fitted(to: columns, ellipsis: glyphs.ellipsis)
    }

    /// Makes a typed character drawable. A typed backslash is not doubled: the user sees what was typed.
    func typed(_ character: Character) -> SafeText {
        character == "\\" ? SafeText(units: [.init(text: "\\", width: 1)]) : safe(String(character))
    }
}
