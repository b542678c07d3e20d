/// The choice of the digest by which the server confirms the bytes that it received.
public enum ChecksumChoice: Hashable, Sendable {
    /// Any digest that the server reports. For a large file, it is compared only if this hardly delays the upload. The
    /// upload fails if the server's digest differs from that of the file. If the server reports no digest, the upload
    /// succeeds without one.
    case offered
    /// No digest is used to confirm the upload.
    case none
    /// The digest of this algorithm. The upload fails if the protocol does not support the algorithm, or if the
    /// server's digest differs from that of the file. With tus, the upload also fails if the server does not support
    /// the algorithm. With most other protocols, the upload succeeds if the server reports no digest, and
    /// `Receipt.verified` is then nil.
    case required(DigestAlgorithm)
}
