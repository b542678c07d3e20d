import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A generator of random numbers from the kernel, 32 by each system call: each small upload needs a dozen.
package struct PooledRandom: RandomNumberGenerator, Sendable {
    /// The maximum number of bytes that getentropy(3) returns in one call.
    private static let size = 256
    private static let pool = Mutex<[UInt64]>([])

    package init() {}

    package mutating func next() -> UInt64 {
        Self.pool.withLock { pool in
            if pool.isEmpty { pool = Self.drawn() }
            return pool.removeLast()
        }
    }

    private static func drawn() -> [UInt64] {
        var numbers = [UInt64](repeating: 0, count: size / 8)
        let isDrawn = numbers.withUnsafeMutableBytes { getentropy($0.baseAddress!, $0.count) == 0 }
        if isDrawn { return numbers }
        var generator = SystemRandomNumberGenerator()
        return [generator.next()]
    }
}
