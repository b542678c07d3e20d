/// The digest by which a server is to confirm what arrived.
public enum ChecksumChoice: Hashable, Sendable {
    /// A digest that the server offers, if it costs no delay, no further request and no bytes sent again. An upload to
    /// a server that offers none is no failure.
    case offered
    case none
    /// The named digest. A protocol or a server that lacks it is a failure.
    case required(DigestAlgorithm)
}
