import HTTPTypes

/// The result of a lookup of the URL to which a file is to be uploaded.
enum FoundEntry: Hashable, Sendable {
    case nothing
    case folder
    case file(FoundFile)
}

/// A file on a server, described by the values that the server has sent.
struct FoundFile: Hashable, Sendable {
    /// The number of bytes; nil if the server does not state it.
    var size: ByteCount?
    /// The entity tag as the server sent it; nil if it sent none.
    var entityTag: String?
    /// The digests that the server reports, the strongest first.
    var reported: [ServerDigest] = []
    /// The time of the file's last change as the server sent it; nil if it sent none.
    var modified: String?

    /// Compares the first digest of the local file in `ours` that the server also reports; nil if there is none.
    func agrees(with ours: [ComputedDigest]) -> DigestComparison? {
        for digest in ours {
            guard let reported = reported.first(where: { $0.algorithm == digest.algorithm }) else { continue }
            return reported.bytes == digest.bytes ? .same(digest.algorithm) : .different(digest.algorithm)
        }
        return nil
    }
}

extension FoundFile {
    init(headed fields: HTTPFields) {
        self.init(
            size: fields[.contentLength].flatMap { ByteCount(digits: $0) }, entityTag: fields[.eTag],
            reported: ServerDigest.in(fields), modified: fields[.lastModified])
    }
}

enum DigestComparison: Hashable, Sendable {
    case same(DigestAlgorithm)
    case different(DigestAlgorithm)

    static func mismatch(_ algorithm: DigestAlgorithm) -> UploadFailure {
        UploadFailure(
            .permanent, "the file at the server is not this one: its \(algorithm.shown) differs",
            hint: "retry to send it again")
    }
}
