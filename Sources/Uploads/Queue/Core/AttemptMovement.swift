package import FerryProtocols

/// The progress of a failed attempt, which determines the delay before the next attempt.
public enum AttemptMovement: Hashable, Sendable {
    /// The attempt sent no bytes, or almost none.
    case none
    /// The attempt ran for this many seconds and sent bytes. But the server has confirmed too few of these bytes, so
    /// the next attempt does not follow at once.
    case moved(seconds: Double)
    /// The attempt made so much progress that the next attempt follows at once: the network and the server seem to
    /// work.
    case movedOn
    /// The attempt failed less than five seconds after the network had returned. So the network, and not the server,
    /// possibly caused the failure.
    case linkIsFresh

    /// Returns the smallest number of bytes that counts as progress. This is 1 % of the file's size, but at least 1
    /// byte and at most 64 KiB. Without this minimum, a server that accepts one byte per connection would be retried at
    /// once, again and again.
    package static func least(ofSize size: ByteCount) -> ByteCount { min(64 << 10, max(1, size / 100)) }
}
