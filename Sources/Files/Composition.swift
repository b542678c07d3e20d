#if !canImport(Darwin)
    // The standard library composes strings to compare them. FoundationEssentials uses this SPI too.
    @_spi(_Unicode) import Swift
#endif

extension String {
    /// The text in Unicode's normalization form C (UAX #15).
    package var composed: String {
        #if canImport(Darwin)
            precomposedStringWithCanonicalMapping
        #else
            if utf8.allSatisfy({ $0 < 0x80 }) { return self }
            var scalars = String.UnicodeScalarView()
            for scalar in _nfc { scalars.append(scalar) }
            return String(scalars)
        #endif
    }
}
