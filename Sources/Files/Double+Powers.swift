#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Double {
    /// The natural logarithm.
    package var logarithm: Double { log(self) }
    /// The exponential function of this number.
    package var exponential: Double { exp(self) }

    package func raised(to exponent: Double) -> Double { pow(self, exponent) }
}
