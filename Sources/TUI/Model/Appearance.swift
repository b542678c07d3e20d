import Foundation

/// What the terminal and the configuration say about how things are drawn and which keys do what.
struct Appearance: Sendable {
    var glyphs = Glyphs(isUnicode: true)
    var graph = GraphStyle.braille
    var actions = ActionTable.standard
    var zone = TimeZone.current
    /// False for a scalar to which the terminal's library gives another width.
    var agrees: @Sendable (Unicode.Scalar, Int) -> Bool = { _, _ in true }

    func safe(_ text: String) -> SafeText { SafeText(text, agrees: agrees) }
}
