#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Double {
    package var logarithm: Double { log(self) }
    package var exponential: Double { exp(self) }

    package func raised(to exponent: Double) -> Double { pow(self, exponent) }
}
