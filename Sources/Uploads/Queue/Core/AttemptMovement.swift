package import FerryProtocols

/// The bytes that a failed attempt had moved, for the delay of the next attempt.
public enum AttemptMovement: Hashable, Sendable {
    /// The attempt moved no or almost no bytes.
    case none
    /// The attempt moved bytes in so many seconds; the count is unknown, or too small for a retry at once.
    case moved(seconds: Double)
    /// The attempt moved enough bytes since the last retry at once: the link and the server work.
    case movedOn
    /// The network had returned a moment before: a failure then says nothing about the server.
    case linkIsFresh

    /// The smallest number of bytes that counts as movement for a file of this size: a hundredth, and at most 64 KiB.
    /// Without a minimum, a server that accepted a byte of each connection would be retried without end.
    package static func least(ofSize size: ByteCount) -> ByteCount { min(64 << 10, max(1, size / 100)) }
}
