import Foundation

/// What the terminal and the configuration say about how things are drawn and which keys do what.
struct Appearance: Sendable {
    var glyphs = Glyphs(isUnicode: true)
    /// nil for the best there is.
    var wantedGraph: GraphStyle?
    var actions = ActionTable.standard
    var zone = TimeZone.current
    /// False for a scalar to which the terminal's library gives another width.
    var agrees: @Sendable (Unicode.Scalar, Int) -> Bool = { _, _ in true }

    /// ASCII where nothing else can be drawn, which the terminal may say only when it is asked.
    var graph: GraphStyle { glyphs.isUnicode ? wantedGraph ?? .braille : .ascii }

    func safe(_ text: String) -> SafeText { SafeText(text, agrees: agrees) }

    /// A character that a person types. Its backslash is what was typed: there is nothing to be imitated.
    func typed(_ character: Character) -> SafeText {
        character == "\\" ? SafeText(units: [.init(text: "\\", width: 1)]) : safe(String(character))
    }
}
