package import FerryProtocols

/// The progress of a failed attempt, which determines the delay before the next attempt.
public enum AttemptMovement: Hashable, Sendable {
    /// The attempt sent no bytes, or almost none.
    case none
    /// The attempt ran for this many seconds and sent bytes, but the server has confirmed too few of them for an
    /// immediate retry.
    case moved(seconds: Double)
    /// The attempt made enough progress for an immediate retry: the link and the server work.
    case movedOn
    /// The network had returned less than five seconds before the failure. The cause was possibly the network and not
    /// the server.
    case linkIsFresh

    /// Returns the smallest number of bytes that counts as progress with a file of this size: 1 % of it, but at least 1
    /// byte and at most 64 KiB. Without a minimum, a server that accepts one byte per connection would be retried at
    /// once, again and again.
    package static func least(ofSize size: ByteCount) -> ByteCount { min(64 << 10, max(1, size / 100)) }
}
