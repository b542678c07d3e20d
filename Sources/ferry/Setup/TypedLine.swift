/// A line that a user types byte by byte, with the keys that erase characters.
struct TypedLine {
    enum Ending: Equatable {
        case given(String)
        /// The input ended while the line was empty.
        case nothing
        case interrupted
    }

    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Applies a typed byte to the line. Returns how the line ended; nil if this byte does not end the line.
    mutating func take(_ byte: UInt8) -> Ending? {
        switch byte {
        case 0x0A, 0x0D: return .given(text)
        case 0x03: return .interrupted
        case 0x04: return bytes.isEmpty ? .nothing : .given(text)
        case 0x08, 0x7F: eraseCharacter()
        case 0x15: bytes = []
        // Other control characters are ignored, because no secret contains them.
        case 0..<0x20: break
        default: bytes.append(byte)
        }
        return nil
    }

    private mutating func eraseCharacter() {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
    }
}
