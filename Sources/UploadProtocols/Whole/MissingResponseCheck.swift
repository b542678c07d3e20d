import HTTPTypes

/// Asks the server by `HEAD` whether the server has a file. This is necessary if the whole file was sent but no
/// response arrived.
///
/// Only a digest can distinguish the sent file from an older file of the same size. If the server reports no equal
/// digest, the file is sent again. This is harmless, because the same bytes are written to the same URL.
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

    func receive(_ response: ExchangeOutcome.Response) -> Verdict {
        // Some URLs can be written but not read.
        guard response.isSuccess else {
            let failure = ResponseClassifier.failure(response)
            return failure.isTransient ? .failed(failure) : .sendAgain
        }
        var found = FoundFile(headed: response.fields)
        guard found.size == nil || found.size == item.size else { return .sendAgain }
        // Object stores use the MD5 of the content as the entity tag. If a tag only looks like an MD5, the comparison
        // fails, and the file is sent again.
        if found.reported.isEmpty, case .whole(let digest) = S3EntityTag(found.entityTag) {
            found.reported = [ServerDigest(.md5, digest)]
        }
        guard let reported = found.reported.first else { return .sendAgain }
        guard !response.digests.isEmpty else { return .ask(head(computing: reported.algorithm)) }
        guard case .same(let algorithm) = found.agrees(with: response.digests) else { return .sendAgain }
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
