import HTTPTypes

/// The check of a finished upload: a `HEAD` request to the location that the server named shows whether the size is
/// right.
enum LocationCheck {
    static func question(_ location: String) -> Exchange { Exchange(.head, location) }

    /// Returns the step after the response to the `HEAD` request. If the server refuses the request, the upload counts
    /// as done, because the server has already confirmed all bytes. If the server is busy, or reports a size that
    /// differs from the file's, the attempt fails.
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

    /// True if the status means that the server is temporarily unable to respond.
    static func isBusy(_ response: ExchangeOutcome.Response) -> Bool {
        [408, 423, 425, 429, 502, 503, 504].contains(response.status)
    }
}
