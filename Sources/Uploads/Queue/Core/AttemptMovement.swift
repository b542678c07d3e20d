package import FerryProtocols

/// The progress of a failed attempt, which determines the delay before the next attempt.
public enum AttemptMovement: Hashable, Sendable {
    /// The attempt sent no bytes, or almost none.
    case none
    /// The attempt ran for this many seconds and sent bytes, of which the server has confirmed too few.
    case moved(seconds: Double)
    /// The network and the server seem to work, so the next attempt follows at once.
    case movedOn
    /// The network returned less than five seconds before, and not the server possibly caused the failure.
    case linkIsFresh

    /// Returns the smallest number of bytes that counts as progress: 1 % of the file, from 1 byte to 64 KiB. Without
    /// it, a server that accepts one byte per connection would be retried at once, again and again.
    package static func least(ofSize size: ByteCount) -> ByteCount { min(64 << 10, max(1, size / 100)) }
}
