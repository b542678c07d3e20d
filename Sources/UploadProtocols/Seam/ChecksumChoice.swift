/// The choice of the digest by which the server confirms the bytes that it received.
public enum ChecksumChoice: Hashable, Sendable {
    /// Any digest that the server reports. For a large file, it is compared only if this hardly delays the upload. The
    /// upload fails if the digests differ, and succeeds without one.
    case offered
    /// No digest is used to confirm the upload.
    case none
    /// The digest of this algorithm. The upload fails if the digests differ, or if the protocol (with tus, also the
    /// server) does not support it. With most other protocols, it succeeds unverified if the server reports no digest.
    case required(DigestAlgorithm)
}
