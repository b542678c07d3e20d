import HTTPTypes

/// Finds out by `HEAD` whether a file is at its place whose body went out whole and whose answer never came.
///
/// Only a digest can tell it from an older file of the same size. Without one it is sent again: the same bytes to the
/// same place do no harm.
struct MissingResponseCheck: Sendable {
    enum Verdict: Sendable {
        case ask(Exchange)
        case stored(Receipt)
        case sendAgain
        case failed(UploadFailure)
    }

    private let item: UploadItem
    private let address: String

    init(_ item: UploadItem) {
        self.item = item
        address = UploadAddress.address(item.url, for: item.name)
    }

    func start() -> Verdict { .ask(head()) }

    /// Takes the answer to what was asked last.
    func receive(_ answer: ExchangeOutcome.Response) -> Verdict {
        // Some places can be written and not read.
        guard answer.isSuccess else {
            let failure = ResponseClassifier.failure(answer)
            return failure.isTransient ? .failed(failure) : .sendAgain
        }
        var found = FoundFile(headed: answer.fields)
        guard found.size == nil || found.size == item.size else { return .sendAgain }
        // Stores of objects use the MD5 of the content as its entity tag. Another that looks like one is only taken for
        // the digest of another file, and that is then sent again.
        if found.told.isEmpty, case .whole(let digest) = S3EntityTag(found.entityTag) {
            found.told = [ServerDigest(.md5, digest)]
        }
        guard let told = found.told.first else { return .sendAgain }
        guard !answer.digests.isEmpty else { return .ask(head(computing: told.algorithm)) }
        guard case .same(let algorithm) = found.agrees(with: answer.digests) else { return .sendAgain }
        return .stored(
            Receipt(
                location: UploadAddress.withoutQuery(address), entityTag: found.entityTag, bytes: item.size,
                verified: algorithm))
    }

    private func head(computing algorithm: DigestAlgorithm? = nil) -> Exchange {
        var head = Exchange(
            .head, address, fields: [.wantReprDigest: "sha-256=10, md5=1"])
        head.digests = algorithm.map { [DigestRequest($0, of: 0..<item.size)] } ?? []
        return head
    }
}
