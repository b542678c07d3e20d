import HTTPTypes

/// The questions to the server once it says that it has the file.
///
/// A server may open its file anew for each request, or forget its offset when it is restarted, and still say at the end
/// that all is there (django-tus 0.5.0, fastapi-tusd 0.100.2). So a file that went in several requests is asked for
/// before it is done: the upload by its offset and length, the location that the server names by its size.
extension TusUpload {
    static let forgotten = "the server lost what it had confirmed"

    /// Asks the upload what it holds, after the last of several requests.
    mutating func confirm(_ resource: UploadResource, _ receipt: Receipt, _ appending: TusAppending) -> Step {
        var appending = appending
        let resource = resource.acknowledged
        phase = .confirming(resource, receipt)
        return .send(appending.ask(), notes: [.resource(resource)])
    }

    /// Takes what the upload says of itself. A server may have let go of a finished upload, or be unable to tell of it:
    /// then its last word counts.
    mutating func confirm(_ answer: ExchangeOutcome.Response, _ resource: UploadResource, _ receipt: Receipt)
        -> Step
    {
        guard answer.isSuccess else {
            return LocationCheck.isBusy(answer)
                ? .failed(TusVerdict.failure(answer, to: .head)) : locate(receipt, asked: resource.url)
        }
        guard let offset = answer.uploadOffset else { return locate(receipt, asked: resource.url) }
        guard offset >= item.size, !answer.tellsOtherLength(than: item.size) else {
            var notes: [Step.Note] = [.serverLost(item.size - min(offset, item.size))]
            notes += noteForgetting()
            if let end = dropped.drop(resource, because: Self.forgotten) { return end.noting(notes) }
            return clear(resource, noting: notes)
        }
        var receipt = receipt
        if let named = self.receipt(resource, answer).location, receipt.location == resource.url {
            receipt.location = named
        }
        return locate(receipt, asked: resource.url)
    }

    /// Asks for the file at its location, where that is another than the address that was asked already.
    private mutating func locate(_ receipt: Receipt, asked: String) -> Step {
        guard let location = receipt.location, location != asked else { return .done(receipt) }
        phase = .locating(receipt)
        return .send(LocationCheck.question(location))
    }

    /// Takes what the location says of the file.
    mutating func locate(_ answer: ExchangeOutcome.Response, _ receipt: Receipt) -> Step {
        let step = LocationCheck.step(answer, receipt)
        guard step.notes.contains(.resource(nil)) else { return step }
        return step.noting(noteForgetting())
    }

    /// The step of a file in parts, with the question what became of them once they are joined.
    mutating func finished(_ step: Step, of parts: UploadResource) -> Step {
        guard case .done(let receipt, let notes) = step, let location = receipt.location else { return step }
        var resource = UploadResource(url: location, confirmed: item.size).acknowledged
        resource.share(parts)
        var appending = TusAppending(resource, range: 0..<item.size, chunkSize: nil)
        phase = .confirming(resource, receipt)
        return .send(appending.ask(), notes: notes + [.resource(resource)])
    }

    /// Remembers for this and for other uploads that the server loses what it has confirmed.
    mutating func noteForgetting() -> [Step.Note] {
        isForgetting = true
        capabilities?.facts[TusOffer.Fact.forgets] = "yes"
        return capabilities.map { [.capabilities($0)] } ?? []
    }
}
