extension Key {
    /// Creates the key of a label. The names of keys have any case and form: `Del`, `delete`.
    init?(label: String) {
        if let scalar = label.unicodeScalars.first, label.unicodeScalars.count == 1 {
            guard CellWidth.of(scalar) ?? 0 > 0, scalar != " " else { return nil }
            self = .character(Character(scalar))
            return
        }
        let name = label.lowercased()
        if let key = Self.names.first(where: { $0.name.lowercased() == name })?.key {
            self = key
        } else if let letter = Self.rest(of: name, after: "ctrl-"), ("a"..."z").contains(letter) {
            self = .control(letter)
        } else if let character = Self.rest(of: label, after: "Alt-"), ("!"..."~").contains(character) {
            self = .alt(character)
        } else if name.first == "f", let number = Int(name.dropFirst()), (1...12).contains(number) {
            self = .function(number)
        } else {
            return nil
        }
    }

    var isCharacter: Bool { if case .character = self { true } else { false } }

    /// The label of another key with the same bytes, or `the beginning of other keys`.
    var arrivesAs: String? {
        switch self {
        case .control("h"): Key.backspace.label
        case .control("i"): Key.tab.label
        case .control("j"), .control("m"): Key.enter.label
        case .alt(let character) where "[O]P_^".contains(character): "the beginning of other keys"
        default: nil
        }
    }

    /// Returns the single character after a prefix, in any case.
    private static func rest(of label: String, after prefix: String) -> Character? {
        guard label.count == prefix.count + 1, label.lowercased().hasPrefix(prefix.lowercased()) else {
            return nil
        }
        return label.last
    }
}
