/// An error at a position of a JSON text.
package struct MalformedJSON: Error, Hashable {
    package enum Kind: Hashable, Sendable {
        /// The text is wrong at the position.
        case wrong
        /// The text ends before the JSON value is complete.
        case endsTooEarly
        /// The text needs a newer version of Ferry.
        case newer
    }

    /// The number of bytes before the error.
    package var position: Int
    /// The error as a part of a sentence. If `kind` is `newer`, it is the feature of a newer Ferry that the text uses.
    package var reason: String
    package var kind: Kind

    package init(position: Int, reason: String, kind: Kind = .wrong) {
        self.position = position
        self.reason = reason
        self.kind = kind
    }

    /// Returns the error with its line and column: `line 3, column 7: a comma before }`. If the text ends too early,
    /// the last line that is not blank is named instead: `it ends too early, in line 3`.
    package func text(in bytes: some Sequence<UInt8>) -> String {
        guard kind == .endsTooEarly else { return "\(TextPosition(of: position, in: bytes)): \(reason)" }
        let text = Array(bytes)
        guard let last = text.lastIndex(where: { $0 > 0x20 }) else { return reason }
        return "\(reason), in line \(TextPosition(of: last, in: text).line)"
    }
}

/// A position in a text, as editors show it.
package struct TextPosition: Hashable, CustomStringConvertible {
    /// The number of the line, from 1.
    package var line = 1
    /// The number of the character in its line, from 1.
    package var column = 1

    /// - Parameter offset: The number of bytes before the position. If it is larger than the text, the position is the
    ///   end of the text.
    package init(of offset: Int, in bytes: some Sequence<UInt8>) {
        for byte in bytes.prefix(offset) {
            if byte == 0x0A {
                (line, column) = (line + 1, 1)
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    package var description: String { "line \(line), column \(column)" }
}
