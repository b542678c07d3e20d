/// The result of a lookup of the URL to which a file is to be uploaded.
package enum FoundEntry: Hashable, Sendable {
    case nothing
    case folder
    case file(FoundFile)
}

/// A file on a server, as far as the server describes it.
package struct FoundFile: Hashable, Sendable {
    /// The number of bytes; nil if the server does not state it.
    package var size: ByteCount?
    /// The entity tag as sent.
    package var entityTag: String?
    /// The digests that the server reports, the strongest first.
    package var reported: [ServerDigest]
    /// The time of the file's last change, as sent.
    package var modified: String?

    package init(
        size: ByteCount? = nil, entityTag: String? = nil, reported: [ServerDigest] = [],
        modified: String? = nil
    ) {
        self.size = size
        self.entityTag = entityTag
        self.reported = reported
        self.modified = modified
    }

    /// Compares one digest from the server with the local digest. The algorithm is the first one in `ours` for which
    /// the server reports a digest. Returns nil if there is no such algorithm.
    func agrees(with ours: [ComputedDigest]) -> DigestComparison? {
        for digest in ours {
            guard let reported = reported.first(where: { $0.algorithm == digest.algorithm }) else { continue }
            return reported.bytes == digest.bytes ? .same(digest.algorithm) : .different(digest.algorithm)
        }
        return nil
    }
}

/// The result of comparing two digests. Each case contains their algorithm.
enum DigestComparison: Hashable, Sendable {
    case same(DigestAlgorithm)
    case different(DigestAlgorithm)

    /// Returns the failure for a file on the server whose content differs from the local file.
    static func mismatch(_ algorithm: DigestAlgorithm) -> UploadFailure {
        UploadFailure(
            .permanent, "what the server holds is not this file: its \(algorithm.shown) is another",
            hint: "retry to send it again")
    }
}
