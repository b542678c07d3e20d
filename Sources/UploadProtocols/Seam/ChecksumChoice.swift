/// The choice whether the server must confirm the received bytes by a digest, and by which.
public enum ChecksumChoice: Hashable, Sendable {
    /// Any digest that the server offers, if it needs no delay, no further request and no second sending of bytes. The
    /// upload also succeeds without a digest.
    case offered
    /// No digest.
    case none
    /// The named digest. The upload fails if the protocol or the server lacks it.
    case required(DigestAlgorithm)
}
