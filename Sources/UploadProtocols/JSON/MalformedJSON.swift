/// An error at a position of a JSON text.
package struct MalformedJSON: Error, Hashable {
    /// The reason why the text cannot be read.
    package enum Kind: Hashable, Sendable {
        /// The text is wrong at the position.
        case wrong
        /// The text ends before its value does.
        case endsTooEarly
        /// The text needs a newer version of Ferry.
        case newer
    }

    /// The number of bytes before the error.
    package var position: Int
    /// The error, or for `newer` the required feature, as a part of a sentence.
    package var reason: String
    /// The reason for the error.
    package var kind: Kind

    package init(position: Int, reason: String, kind: Kind = .wrong) {
        self.position = position
        self.reason = reason
        self.kind = kind
    }

    /// The error with its line and column, as a part of a sentence: `line 3, column 7: a comma before }`.
    package func text(in bytes: some Sequence<UInt8>) -> String {
        kind == .endsTooEarly ? reason : "\(TextPosition(of: position, in: bytes)): \(reason)"
    }
}

/// A position in a text, counted as in editors.
package struct TextPosition: Hashable, CustomStringConvertible {
    /// The number of the line, from 1.
    package var line = 1
    /// The number of the character in its line, from 1.
    package var column = 1

    /// - Parameter offset: The number of bytes before the position. An offset after the end of the text counts as its
    ///   end.
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
