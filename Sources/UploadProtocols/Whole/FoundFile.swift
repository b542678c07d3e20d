/// A server's statement about the address that a file is to get.
public enum FoundEntry: Hashable, Sendable {
    case nothing
    case folder
    case file(FoundFile)
}

/// A file at a server, as far as it tells.
public struct FoundFile: Hashable, Sendable {
    /// Bytes; nil if the server does not say.
    public var size: ByteCount?
    /// The entity tag as sent.
    public var entityTag: String?
    /// The strongest first.
    public var told: [ServerDigest]
    /// The time of the file's last change, as sent.
    public var modified: String?

    public init(
        size: ByteCount? = nil, entityTag: String? = nil, told: [ServerDigest] = [], modified: String? = nil
    ) {
        self.size = size
        self.entityTag = entityTag
        self.told = told
        self.modified = modified
    }

    /// Whether the server's digest is ours; nil if none of `ours` can be compared with what it tells.
    func agrees(with ours: [ComputedDigest]) -> DigestComparison? {
        for digest in ours {
            guard let told = told.first(where: { $0.algorithm == digest.algorithm }) else { continue }
            return told.bytes == digest.bytes ? .same(digest.algorithm) : .different(digest.algorithm)
        }
        return nil
    }
}

/// The result of comparing a digest.
enum DigestComparison: Hashable, Sendable {
    case same(DigestAlgorithm)
    case different(DigestAlgorithm)

    /// The failure if another content than the file's is at the server.
    static func mismatch(_ algorithm: DigestAlgorithm) -> UploadFailure {
        UploadFailure(
            .permanent, "what the server holds is not this file: its \(algorithm.shown) is another",
            hint: "retry to send it again")
    }
}
