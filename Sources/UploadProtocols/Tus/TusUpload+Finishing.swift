import HTTPTypes

/// The checks after the server has confirmed the whole file.
///
/// Some servers truncate the file at each request, or lose the offset at a restart, and still confirm the whole file at
/// the end (django-tus 0.5.0, fastapi-tusd 0.100.2). So a file that took several requests is checked: the offset and
/// length of the upload, and the size of the file at the location that the server names.
extension TusUpload {
    static let forgotten = "the server lost what it had confirmed"

    /// Requests the upload's offset once more, to check that the server has kept the bytes of all requests.
    mutating func confirm(_ resource: UploadResource, _ receipt: Receipt, _ appending: TusAppending) -> Step {
        var appending = appending
        let resource = resource.acknowledged
        phase = .confirming(resource, receipt)
        return .send(appending.ask(), notes: [.resource(resource)])
    }

    /// Handles the response with the upload's offset. If the server refuses the request or states no offset, its
    /// earlier confirmation of the whole file is accepted. If the server is busy, the attempt fails. If the server has
    /// lost bytes, the upload restarts.
    mutating func confirm(
        _ response: ExchangeOutcome.Response, _ resource: UploadResource, _ receipt: Receipt
    )
        -> Step
    {
        guard response.isSuccess else {
            return LocationCheck.isBusy(response)
                ? .failed(TusVerdict.failure(response, to: .head)) : locate(receipt, asked: resource.url)
        }
        guard let offset = response.uploadOffset else { return locate(receipt, asked: resource.url) }
        guard offset >= item.size, !response.tellsOtherLength(than: item.size) else {
            var notes: [Step.Note] = [.serverLost(item.size - min(offset, item.size))]
            notes += noteForgetting()
            if let end = dropped.drop(resource, because: Self.forgotten) { return end.noting(notes) }
            return clear(resource, noting: notes)
        }
        var receipt = receipt
        if let named = self.receipt(resource, response).location, receipt.location == resource.url {
            receipt.location = named
        }
        return locate(receipt, asked: resource.url)
    }

    /// Looks up the file at its location. If the location is unknown, or equals `asked`, the URL of the last query, the
    /// upload is done without this lookup.
    private mutating func locate(_ receipt: Receipt, asked: String) -> Step {
        guard let location = receipt.location, location != asked else { return .done(receipt) }
        phase = .locating(receipt)
        return .send(LocationCheck.question(location))
    }

    /// Handles the response to the lookup of the finished file at the location that the server named. If the file has
    /// the wrong size, also records that the server loses confirmed bytes.
    mutating func locate(_ response: ExchangeOutcome.Response, _ receipt: Receipt) -> Step {
        let step = LocationCheck.step(response, receipt)
        guard step.notes.contains(.resource(nil)) else { return step }
        return step.noting(noteForgetting())
    }

    /// If `step` completes an upload in parts and its receipt has the URL of the joined file, returns a check of that
    /// file instead. Returns any other step unchanged.
    mutating func finished(_ step: Step, of parts: UploadResource) -> Step {
        guard case .done(let receipt, let notes) = step, let location = receipt.location else { return step }
        var resource = UploadResource(url: location, confirmed: item.size).acknowledged
        resource.share(parts)
        var appending = TusAppending(resource, range: 0..<item.size, chunkSize: nil)
        phase = .confirming(resource, receipt)
        return .send(appending.ask(), notes: notes + [.resource(resource)])
    }

    /// Records that the server loses confirmed bytes: in this value, and in the returned notes for other uploads.
    mutating func noteForgetting() -> [Step.Note] {
        isForgetting = true
        capabilities?.facts[TusOffer.Fact.forgets] = "yes"
        return capabilities.map { [.capabilities($0)] } ?? []
    }
}
