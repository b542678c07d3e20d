import HTTPTypes

/// The creation of an upload with the content of a small file (tus 1.0.0, Creation With Upload). This takes one request
/// in place of two.
///
/// If the response is lost, Ferry does not know the URL of the upload, and the server possibly has the file. The outcome
/// is then unknown, as for a `POST` without an idempotency key.
extension TusUpload {
    /// The maximum size in bytes of such a file. The bytes of a broken request are lost.
    static let largestWithContent: ByteCount = 64 << 10
    private static let feature = "creation-with-upload"

    /// Returns the request; nil if the options, the server or the file require a creation without content. A required
    /// checksum is such an option: tus has checksums only in requests that append. Throws as `TusCreation.exchange(_:)`.
    func creationWithContent() throws(UploadFailure) -> Exchange? {
        guard options.createsWithContent, options.checksum == nil,
            capabilities?.extensions.contains(Self.feature) ?? false,
            (1...min(Self.largestWithContent, options.chunkSize ?? .max)).contains(item.size)
        else { return nil }
        var exchange = try creation.exchange(.withContent)
        OfferedDigest.ask(in: &exchange, size: item.size, options.checksumChoice)
        return exchange
    }

    /// Handles the outcome of `exchange`. If the server refuses the content, creates the upload without it.
    mutating func receive(_ reply: ExchangeOutcome, toCreation exchange: Exchange) -> Step {
        let verdict = SingleRequestUpload.step(reply, to: exchange, size: item.size)
        if case .failed(let failure, _) = verdict, failure.category == .outcomeUnknown { return verdict }
        // The server does not have the file, so the mark of an unknown outcome goes.
        guard case .responded(let response) = reply else { return verdict.noting([.resource(nil)]) }
        if Self.refusals.contains(response.status), LockedUpload.failure(response, to: .post) == nil {
            capabilities?.extensions.remove(Self.feature)
            // Status 400 can be about this file only, so other uploads send their content nevertheless.
            return begin(noting: [.resource(nil)] + (response.status == 400 ? [] : capabilityNotes))
        }
        let step = receiveCreation(response, hasContent: true)
        guard response.isSuccess else { return step.noting([.resource(nil)]) }
        guard case .failed(var failure, let notes) = step else { return step }
        // The server has made the upload, but at an unknown URL.
        failure.category = .outcomeUnknown
        return .failed(failure, notes: notes)
    }

    /// The statuses by which a server possibly refuses the content of a creation, and not the upload.
    private static let refusals = [400, 411, 413, 415, 501]

    /// Asks for the offset, which the response to the creation with content did not state. Until then, the server
    /// possibly has the whole file.
    mutating func askForOffset(_ resource: UploadResource) -> Step {
        let resource = resource.withWholeBodySent(true)
        var appending = TusAppending(resource, range: 0..<item.size, chunkSize: chunkSize)
        let question = appending.ask()
        phase = .appending(appending)
        return .send(question, notes: [.resource(resource)])
    }
}
