import FerryFiles

/// A search for a sequence of bytes in data that arrives in chunks.
struct ByteSearch: Hashable, Sendable {
    let pattern: [UInt8]

    init(_ pattern: [UInt8]) {
        precondition(!pattern.isEmpty, "nothing to look for")
        self.pattern = pattern
    }

    /// Returns the range of the first occurrence at or after `start`. If there is none, returns the range, possibly
    /// empty, of the bytes at the end that match the beginning of `pattern`, whose rest can follow in the next chunk.
    func first(in bytes: [UInt8], from start: Int) -> Range<Int> {
        bytes.withUnsafeBytes { buffer in
            var position = start
            while let hit = buffer.firstIndex(of: pattern[0], from: position) {
                let length = min(pattern.count, buffer.count - hit)
                if buffer.holds(pattern[..<length], at: hit) { return hit..<hit + length }
                position = hit + 1
            }
            return buffer.count..<buffer.count
        }
    }
}
