#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Looks for a sequence of bytes in a text that comes in pieces.
struct ByteSearch: Hashable, Sendable {
    /// Not empty.
    let pattern: [UInt8]

    init(_ pattern: [UInt8]) {
        precondition(!pattern.isEmpty, "nothing to look for")
        self.pattern = pattern
    }

    /// The first occurrence at or after `start`, or the longest beginning of one that the end of `bytes` cuts off
    /// (perhaps empty).
    func first(in bytes: [UInt8], from start: Int) -> Range<Int> {
        bytes.withUnsafeBytes { buffer in
            var position = start
            while position < buffer.count,
                let base = buffer.baseAddress,
                let hit = memchr(base + position, CInt(pattern[0]), buffer.count - position)
            {
                let candidate = base.distance(to: UnsafeRawPointer(hit))
                let length = min(pattern.count, buffer.count - candidate)
                if pattern.withUnsafeBytes({ memcmp(base + candidate, $0.baseAddress ?? base, length) }) == 0
                {
                    return candidate..<candidate + length
                }
                position = candidate + 1
            }
            return buffer.count..<buffer.count
        }
    }
}
