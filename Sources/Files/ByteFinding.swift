#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// Returns the position of the first `byte` at or after `start` (`memchr(3)`).
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard let base = baseAddress, start < count,
            let found = memchr(base + start, CInt(byte), count - start)
        else { return nil }
        return base.distance(to: UnsafeRawPointer(found))
    }

    /// True if the bytes from `position` on begin with `pattern`.
    package func holds(_ pattern: some Collection<UInt8>, at position: Int) -> Bool {
        guard pattern.count <= count - position else { return false }
        let isSame = pattern.withContiguousStorageIfAvailable { pattern in
            guard let mine = baseAddress, let other = pattern.baseAddress else { return pattern.isEmpty }
            return memcmp(mine + position, other, pattern.count) == 0
        }
        return isSame ?? self[position...].starts(with: pattern)
    }
}
