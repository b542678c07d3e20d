import HTTPTypes

/// A check of a finished upload by a `HEAD` request to its location: does the stored file have the right size?
enum LocationCheck {
    static func question(_ location: String) -> Exchange { Exchange(.head, location) }

    /// Returns the step after the response to the `HEAD` request. The attempt fails if the server is temporarily unable
    /// to respond, or if the size differs. Otherwise the upload is done, even if the server refuses the request,
    /// because the server has already confirmed all bytes.
    static func step(_ response: ExchangeOutcome.Response, _ receipt: Receipt) -> Step {
        var receipt = receipt
        guard response.isSuccess else {
            guard isBusy(response) else { return .done(receipt) }
            var failure = ResponseClassifier.failure(response)
            failure.category = .server
            return .failed(failure)
        }
        let found = FoundFile(headed: response.fields)
        // With a content encoding, the length is that of the compressed bytes.
        if let size = found.size, size != receipt.bytes, response.fields[.contentEncoding] == nil {
            return .failed(SingleRequestUpload.wrongSize(size, of: receipt.bytes), notes: [.resource(nil)])
        }
        receipt.entityTag = receipt.entityTag ?? found.entityTag
        return .done(receipt)
    }

    static func isBusy(_ response: ExchangeOutcome.Response) -> Bool {
        [408, 423, 425, 429, 502, 503, 504].contains(response.status)
    }
}
