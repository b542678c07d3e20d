import HTTPTypes

/// The creation of an upload with the content of a small file (tus 1.0.0, Creation With Upload). This takes one request
/// in place of two.
///
/// With the response, the URL of the upload would be lost, and the server possibly has the file. So the outcome is
/// unknown then, as for a `POST` without an idempotency key.
extension TusUpload {
    /// The maximum size in bytes of such a file. The bytes of a broken request are lost.
    static let largestWithContent: ByteCount = 64 << 10
    private static let feature = "creation-with-upload"

    /// Returns the request; nil if the options, the server or the file require a creation without content. A checksum
    /// that the options require is one of them: tus has it only in requests that append.
    func creationWithContent() throws(UploadFailure) -> Exchange? {
        guard options.createsWithContent, options.checksum == nil,
            capabilities?.extensions.contains(Self.feature) ?? false,
            (1...min(Self.largestWithContent, options.chunkSize ?? .max)).contains(item.size)
        else { return nil }
        var exchange = try creation.exchange(.withContent)
        OfferedDigest.ask(in: &exchange, size: item.size, options.checksumChoice)
        return exchange
    }

    /// Handles the outcome of `exchange`. If the server refuses the content, creates the upload without it, and stores
    /// this for other uploads.
    mutating func receive(_ reply: ExchangeOutcome, toCreation exchange: Exchange) -> Step {
        let verdict = SingleRequestUpload.step(reply, to: exchange, size: item.size)
        if case .failed(let failure, _) = verdict, failure.category == .outcomeUnknown { return verdict }
        // The server does not have the file, so the mark of an unknown outcome goes.
        guard case .responded(let response) = reply else { return verdict.noting([.resource(nil)]) }
        guard !response.refusesKind else {
            capabilities?.extensions.remove(Self.feature)
            return begin(noting: [.resource(nil)] + capabilityNotes)
        }
        let step = receiveCreation(response, hasContent: true)
        return response.isSuccess ? step : step.noting([.resource(nil)])
    }
}
