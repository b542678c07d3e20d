/// The digest by which the server confirms the bytes that it received: any that it offers, none, or a required one.
public enum ChecksumChoice: Hashable, Sendable {
    /// Any digest that the server offers, if no byte of the file is sent later or twice for it. The upload also
    /// succeeds without a digest.
    case offered
    /// No digest.
    case none
    /// The named digest. The upload fails if the protocol or the server lacks it.
    case required(DigestAlgorithm)
}
