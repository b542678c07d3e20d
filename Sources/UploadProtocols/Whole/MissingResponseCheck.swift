import HTTPTypes

/// Asks the server by `HEAD` whether it has a file that was sent completely without a response.
///
/// Only a digest can distinguish the sent file from an older one of the same size. Without an equal digest, the file is
/// sent again, which writes the same bytes to the same URL.
struct MissingResponseCheck: Sendable {
    private let item: UploadItem
    private let address: String

    init(_ item: UploadItem) {
        self.item = item
        address = UploadAddress.address(item.url, for: item.name)
    }

    func start() -> Step { .send(.head(address, computing: [])) }

    /// Handles the response to the last request. Returns nil if the file must be sent again.
    func receive(_ response: ExchangeOutcome.Response) -> Step? {
        // Some URLs can be written but not read.
        guard response.isSuccess else {
            let failure = ResponseClassifier.failure(response)
            return failure.isTransient ? .failed(failure) : nil
        }
        var found = FoundFile(headed: response.fields)
        guard found.size == nil || found.size == item.size else { return nil }
        // Object stores use the MD5 of the content as the entity tag. Any other tag fails the comparison.
        if found.reported.isEmpty, case .whole(let digest) = S3EntityTag(found.entityTag) {
            found.reported = [ServerDigest(.md5, digest)]
        }
        guard let reported = found.reported.first else { return nil }
        guard !response.digests.isEmpty else {
            return .send(.head(address, computing: [item.digest(reported.algorithm)]))
        }
        guard case .same(let algorithm) = found.agrees(with: response.digests) else { return nil }
        return .done(
            Receipt(
                location: UploadAddress.withoutQuery(address), entityTag: found.entityTag, bytes: item.size,
                verified: algorithm))
    }
}
