import HTTPTypes

/// A lookup of a finished file at the location that the server named, to compare its size.
enum LocationCheck {
    static func question(_ location: String) -> Exchange { Exchange(.head, location) }

    /// Returns the step after a lookup of a completed upload. A location that cannot be read proves nothing.
    static func step(_ answer: ExchangeOutcome.Response, _ receipt: Receipt) -> Step {
        var receipt = receipt
        guard answer.isSuccess else {
            return isBusy(answer) ? .failed(ResponseClassifier.failure(answer)) : .done(receipt)
        }
        let found = FoundFile(headed: answer.fields)
        // The length of compressed content proves nothing.
        if let size = found.size, size != receipt.bytes, answer.fields[.contentEncoding] == nil {
            return .failed(SingleRequestUpload.wrongSize(size, of: receipt.bytes), notes: [.resource(nil)])
        }
        receipt.entityTag = receipt.entityTag ?? found.entityTag
        return .done(receipt)
    }

    /// True for the response of a server that is temporarily unable.
    static func isBusy(_ answer: ExchangeOutcome.Response) -> Bool {
        [408, 423, 425, 429, 502, 503, 504].contains(answer.status)
    }
}
