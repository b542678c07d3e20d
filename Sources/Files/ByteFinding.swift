#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension String {
    /// True if the text has this ASCII character, which is searched as a byte (`memchr(3)`).
    package func hasByte(_ character: Unicode.Scalar) -> Bool { byteOffset(of: character) != nil }

    /// Returns the position in UTF-8 of the first such ASCII character.
    package func byteOffset(of character: Unicode.Scalar) -> Int? {
        let byte = UInt8(ascii: character)
        let found = utf8.withContiguousStorageIfAvailable {
            UnsafeRawBufferPointer($0).firstIndex(of: byte, from: 0)
        }
        return found ?? Array(utf8).firstIndex(of: byte)
    }
}

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
