import HTTPTypes

/// Asks for a finished file at the location that the server named, and compares its size.
enum LocationCheck {
    static func question(_ location: String) -> Exchange { Exchange(.head, location) }

    /// The step after a response that calls an upload complete. A location that cannot be read says nothing.
    static func step(_ answer: ExchangeOutcome.Response, _ receipt: Receipt) -> Step {
        var receipt = receipt
        guard answer.isSuccess else {
            return isBusy(answer) ? .failed(ResponseClassifier.failure(answer)) : .done(receipt)
        }
        let found = FoundFile(headed: answer.fields)
        // Of what is packed, the length says nothing.
        if let size = found.size, size != receipt.bytes, answer.fields[.contentEncoding] == nil {
            return .failed(SingleRequestUpload.wrongSize(size, of: receipt.bytes), notes: [.resource(nil)])
        }
        receipt.entityTag = receipt.entityTag ?? found.entityTag
        return .done(receipt)
    }

    /// True for an answer of a server that will tell later.
    static func isBusy(_ answer: ExchangeOutcome.Response) -> Bool {
        [408, 423, 425, 429, 502, 503, 504].contains(answer.status)
    }
}
