/// Text from outside the program (file names, server messages, paths in errors), made safe for the screen.
///
/// The text cannot move the cursor, change a mode of the terminal, or reorder adjacent text. All terminals give it the
/// same width. Scalars that must not be drawn become escapes such as `\e` or `\u{202E}`. Each backslash is doubled, so
/// that the original text cannot imitate an escape. The text is only for display, and is never used as a path.
struct SafeText: Hashable, Sendable {
    /// A part that is drawn or dropped as a whole, such as a letter with its accents, or an escape.
    struct Unit: Hashable, Sendable {
        var text: String
        /// The number of cells, 1 or more.
        var width: Int
        var isEscape = false
    }

    var units: [Unit]

    init(units: [Unit] = []) { self.units = units }

    /// - Parameter agrees: Returns false for a scalar to which the C library gives another width. It becomes an escape:
    /// a wrong width would shift the rest of the row.
    init(_ raw: some StringProtocol, agrees: (Unicode.Scalar, Int) -> Bool = { _, _ in true }) {
        units = []
        units.reserveCapacity(raw.utf8.count)
        for character in raw { append(character, agrees: agrees) }
    }

    /// - Parameter text: Text that is the program's or safe already. Scalars that must not be drawn become `?`.
    init(own text: some StringProtocol) {
        units = text.compactMap { character in
            switch character.unicodeScalars.first.flatMap({ CellWidth.of($0) }) {
            case 0: nil
            case .some(let width): Unit(text: String(character), width: width)
            case nil: Unit(text: "?", width: 1)
            }
        }
    }

    var width: Int { units.reduce(0) { $0 + $1.width } }

    var text: String { units.map(\.text).joined() }

    private mutating func append(_ character: Character, agrees: (Unicode.Scalar, Int) -> Bool) {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return }
        if Self.isPartOfFlag(first) {
            for scalar in scalars where Self.isPartOfFlag(scalar) {
                // Terminals give a flag 1, 2 or 4 cells, so its two letters are drawn instead: `A` for U+1F1E6.
                let letter = UInt8(truncatingIfNeeded: scalar.value - 0x1F1E6) + UInt8(ascii: "A")
                units.append(Unit(text: String(Unicode.Scalar(letter)), width: 1))
            }
            return
        }
        // Of an emoji such as a family or a keycap, only the first scalar is drawn: terminals agree on its width.
        let isEmoji = scalars.count > 1 && first.properties.isEmoji
        for scalar in scalars.prefix(isEmoji ? 1 : .max) { append(scalar, agrees: agrees) }
    }

    private mutating func append(_ scalar: Unicode.Scalar, agrees: (Unicode.Scalar, Int) -> Bool) {
        if (0x20..<0x7F).contains(scalar.value), scalar != "\\" {
            units.append(Unit(text: String(scalar), width: 1))
        } else if scalar == "\u{FFFD}" {
            units.append(Unit(text: "\u{FFFD}", width: 1, isEscape: true))
        } else if (0xFE00...0xFE0F).contains(scalar.value) {
            return
        } else if scalar != "\\", let width = CellWidth.of(scalar), agrees(scalar, width) {
            if width == 0 { return appendCombining(scalar) }
            units.append(Unit(text: String(scalar), width: width))
        } else {
            appendEscape(scalar)
        }
    }

    /// Adds a combining mark to the last unit, two at most. Without a unit, the mark becomes an escape.
    private mutating func appendCombining(_ scalar: Unicode.Scalar) {
        guard let last = units.indices.last, !units[last].isEscape else { return appendEscape(scalar) }
        if units[last].text.unicodeScalars.count < 3 { units[last].text.unicodeScalars.append(scalar) }
    }

    private mutating func appendEscape(_ scalar: Unicode.Scalar) {
        let escape =
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case "\u{1B}": "\\e"
            default: "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        units.append(Unit(text: escape, width: escape.utf8.count, isEscape: true))
    }

    private static func isPartOfFlag(_ scalar: Unicode.Scalar) -> Bool {
        (0x1F1E6...0x1F1FF).contains(scalar.value)
    }
}
