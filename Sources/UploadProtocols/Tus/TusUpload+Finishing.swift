import HTTPTypes

/// The checks of an upload after the server has confirmed the whole file.
///
/// Some servers truncate the file at each request, or lose the offset when they restart, and still confirm the whole
/// file at the end (django-tus 0.5.0, fastapi-tusd 0.100.2). So Ferry asks for the offset and the length of a file that
/// was sent in several requests, and for the size of the finished file at the location that the server names.
extension TusUpload {
    static let forgotten = "the server lost what it had confirmed"

    /// Asks for the upload's offset once more, to check that the server still has all bytes.
    mutating func confirm(_ resource: UploadResource, _ receipt: Receipt, _ appending: TusAppending) -> Step {
        var appending = appending
        let resource = resource.acknowledged
        phase = .confirming(resource, receipt)
        return .send(appending.ask(), notes: [.resource(resource)])
    }

    /// Handles the response to the last request for the offset. If bytes are missing, the upload starts again, or fails
    /// at the second loss within an hour.
    mutating func confirm(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource, _ receipt: Receipt
    ) -> Step {
        guard response.isSuccess else {
            return LocationCheck.isBusy(response)
                ? .failed(TusVerdict.failure(response, to: .head)) : locate(receipt, asked: resource.url)
        }
        guard let offset = response.uploadOffset else { return locate(receipt, asked: resource.url) }
        guard offset >= item.size, !response.tellsOtherLength(than: item.size) else {
            let notes = [.serverLost(item.size - min(offset, item.size))] + noteForgetting()
            if let end = dropped.drop(resource, because: Self.forgotten) { return end.noting(notes) }
            return clear(resource, noting: notes)
        }
        var receipt = receipt
        if let named = self.receipt(resource, response).location, receipt.location == resource.url {
            receipt.location = named
        }
        return locate(receipt, asked: resource.url)
    }

    /// Looks up the finished file, unless its location is unknown or `asked`, the URL of the last request.
    private mutating func locate(_ receipt: Receipt, asked: String) -> Step {
        guard let location = receipt.location, location != asked else { return .done(receipt) }
        phase = .locating(receipt)
        return .send(LocationCheck.question(location))
    }

    /// Handles the response to the lookup. A wrong size shows that the server loses confirmed bytes.
    mutating func locate(_ response: ExchangeOutcome.Response, _ receipt: Receipt) -> Step {
        let step = LocationCheck.step(response, receipt)
        guard step.notes.contains(.resource(nil)) else { return step }
        return step.noting(noteForgetting())
    }

    /// Returns a request that checks the joined file, if `step` completes the upload and names the location.
    mutating func finished(_ step: Step, of parts: UploadResource) -> Step {
        guard case .done(let receipt, let notes) = step, let location = receipt.location else { return step }
        var resource = UploadResource(url: location, confirmed: item.size).acknowledged
        resource.share(parts)
        var appending = TusAppending(resource, range: 0..<item.size, chunkSize: nil)
        phase = .confirming(resource, receipt)
        return .send(appending.ask(), notes: notes + [.resource(resource)])
    }

    /// Records that this server loses confirmed bytes, and returns the note that stores this for other uploads.
    mutating func noteForgetting() -> [Step.Note] {
        isForgetting = true
        capabilities?.facts[TusOffer.Fact.forgets] = "yes"
        return capabilityNotes
    }
}
