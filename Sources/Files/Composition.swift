#if !canImport(Darwin)
    // `_nfc` is SPI that the standard library uses to compare strings. FoundationEssentials uses it too.
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
