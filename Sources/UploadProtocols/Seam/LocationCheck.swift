import HTTPTypes

/// Asks for a finished file at the location that the server named, and compares its size.
enum LocationCheck {
    static func question(_ location: String) -> Exchange { Exchange(.head, location, isIdempotent: true) }

    /// What the answer makes of an upload that the server calls complete. A location that cannot be read says nothing.
    static func step(_ answer: Reply.Answer, _ receipt: Receipt) -> Step {
        var receipt = receipt
        guard (200..<300).contains(answer.status) else {
            return isBusy(answer) ? .failed(AnswerVerdict.failure(answer)) : .done(receipt)
        }
        let found = FoundFile(headed: answer.fields)
        // Of what is packed, the length says nothing.
        if let size = found.size, size != receipt.bytes, answer.fields[.contentEncoding] == nil {
            return .failed(WholeUpload.wrongSize(size, of: receipt.bytes), notes: [.resource(nil)])
        }
        receipt.entityTag = receipt.entityTag ?? found.entityTag
        return .done(receipt)
    }

    /// True for an answer of a server that will tell later.
    static func isBusy(_ answer: Reply.Answer) -> Bool {
        [408, 423, 425, 429, 502, 503, 504].contains(answer.status)
    }
}

extension Resource {
    private static let acknowledgedField = "acknowledged"

    /// True once the server has said that it has the whole file.
    var isAcknowledged: Bool {
        get { fields[Self.acknowledgedField] != nil }
        set {
            self = withWholeBodySent(newValue)
            fields[Self.acknowledgedField] = newValue ? "yes" : nil
        }
    }
}
