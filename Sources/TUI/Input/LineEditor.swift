/// A line that the user is typing, and the cursor in it.
struct LineEditor: Hashable, Sendable {
    private(set) var characters: [Character]
    private(set) var position: Int

    init(_ text: String = "") {
        characters = Array(text)
        position = characters.count
    }

    var text: String { String(characters) }

    mutating func insert(_ text: some StringProtocol) {
        characters.insert(contentsOf: text, at: position)
        position += text.count
    }

    /// Handles a key that edits the line or moves the cursor. Returns false for any other.
    mutating func handle(_ key: Key) -> Bool {
        switch key {
        case .character(let character): insert(String(character))
        case .paste(let text, _): insert(text)
        case .backspace, .control("h"): if position > 0 { remove(from: position - 1) }
        case .delete, .control("d"):
            if position < characters.count { characters.remove(at: position) }
        case .left, .control("b"): position = max(0, position - 1)
        case .right, .control("f"): position = min(characters.count, position + 1)
        case .home, .control("a"): position = 0
        case .end, .control("e"): position = characters.count
        case .control("u"): remove(from: 0)
        case .control("k"): characters.removeSubrange(position...)
        case .control("w"): remove(from: startOfWord())
        default: return false
        }
        return true
    }

    private mutating func remove(from start: Int) {
        characters.removeSubrange(start..<position)
        position = start
    }

    private func startOfWord() -> Int {
        var start = position
        while start > 0, Self.separates(characters[start - 1]) { start -= 1 }
        while start > 0, !Self.separates(characters[start - 1]) { start -= 1 }
        return start
    }

    private static func separates(_ character: Character) -> Bool { character == " " || character == "/" }
}
