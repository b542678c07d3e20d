/// The digest by which the server confirms the bytes that it received: any that it offers, none, or a required one.
public enum ChecksumChoice: Hashable, Sendable {
    /// Any digest that the server offers at a low cost: the digest hardly delays the upload, and a broken connection
    /// loses no more bytes than without the digest. An upload without a digest also succeeds. If the server's digest
    /// differs, the upload fails.
    case offered
    /// No digest.
    case none
    /// The named digest. The upload fails if the protocol does not support it, or if the server's digest differs. With
    /// tus, it also fails if the server does not support the digest. With most other protocols, an upload succeeds even
    /// if the server reports no digest, and `Receipt.verified` is nil.
    case required(DigestAlgorithm)
}
