/// The digest by which a server must confirm the received bytes.
public enum ChecksumChoice: Hashable, Sendable {
    /// A digest that the server offers, if it costs no delay, no further request and no bytes sent again. Its absence
    /// is not a failure.
    case offered
    case none
    /// The named digest. The upload fails if the protocol or the server lacks it.
    case required(DigestAlgorithm)
}
