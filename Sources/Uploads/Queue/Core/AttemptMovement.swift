package import FerryProtocols

/// The bytes that a failed attempt had moved before, as far as they decide how long to wait for the next.
public enum AttemptMovement: Hashable, Sendable {
    /// The attempt moved nothing to speak of.
    case none
    /// Bytes, in so many seconds; what it amounts to is not known, or too little for a try at once.
    case moved(seconds: Double)
    /// Enough since the last try at once: the link and the server carry bytes.
    case movedOn
    /// The network had come back a moment before: what fails then says nothing of the server.
    case linkIsFresh

    /// The smallest number of bytes that counts as movement of a file of this size: a hundredth, and at most 64 KiB. A
    /// server that took a byte of each connection would else be asked without end.
    package static func least(ofSize size: ByteCount) -> ByteCount { min(64 << 10, max(1, size / 100)) }
}
