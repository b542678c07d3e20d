/// Which digest a server is to confirm what arrived by.
public enum ChecksumChoice: Hashable, Sendable {
    /// One that the server offers, as far as it costs no delay, no further request and no bytes sent again; an upload
    /// to a server that offers none is no failure.
    case offered
    case none
    /// This one; a protocol or a server that cannot is a failure.
    case required(DigestAlgorithm)
}
