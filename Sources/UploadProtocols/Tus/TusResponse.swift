import FerryFiles
import HTTPTypes

/// The facts in the header fields of a tus server's response.
extension ExchangeOutcome.Response {
    var uploadOffset: ByteCount? { Self.count(fields[.uploadOffset]) }

    var expiry: Date? { date(in: .uploadExpires) }

    /// True if the response has at least one of the header fields in this list, which belong to tus. False is possible
    /// for a tus server too: some send a refusal without these fields (seen with tuspyserver 4.4.3).
    var namesTus: Bool {
        [HTTPField.Name.tusResumable, .tusVersion, .tusExtension, .uploadOffset].contains {
            fields[$0] != nil
        }
    }

    /// True if the response has a field `Upload-Length` with another value than `length`. False if the field is
    /// missing, for example while the server does not know the length.
    func tellsOtherLength(than length: ByteCount) -> Bool {
        guard let reported = fields[.uploadLength] else { return false }
        return Self.count(reported) != length
    }

    /// Parses a number of bytes in a tus header field, written in decimal digits only. Returns nil if the field is
    /// missing, has any other text, or states a number that is too large.
    static func count(_ field: String?) -> ByteCount? {
        guard let digits = field?.trimmingSpaces, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return ByteCount(digits)
    }
}

/// The failures for responses in which a tus server refuses a request. The statuses 412 and 413 have special texts, and
/// a locked upload has a failure of its own.
enum TusVerdict {
    static let version = "1.0.0"

    static func failure(_ response: ExchangeOutcome.Response, limit: ByteCount? = nil) -> UploadFailure {
        if let locked = LockedUpload.failure(response, to: .post) { return locked }
        var failure = ResponseClassifier.failure(response)
        switch response.status {
        case 412:
            let spoken = response.fields[.tusVersion].map { "it speaks \(ServerText.cleaned($0))" }
            failure.summary = "the server does not take tus \(version): \(spoken ?? "it answered 412")"
            failure.hint = "check that the destination's url is a tus 1.0 endpoint"
        case 413:
            if let limit = ExchangeOutcome.Response.count(response.fields[.tusMaxSize]) ?? limit, limit > 0 {
                failure.summary += "; it takes \(ByteFormat.sentence(limit))"
            }
        default: break
        }
        return failure
    }

    /// Returns the failure for a response in which the server refuses a request to the URL of an upload.
    static func failure(_ response: ExchangeOutcome.Response, to method: HTTPRequest.Method) -> UploadFailure
    {
        LockedUpload.failure(response, to: method) ?? failure(response)
    }

    static func isNoTusServer(_ response: ExchangeOutcome.Response) -> UploadFailure {
        let name = StatusName.of(response.status).map { " (\($0))" } ?? ""
        let said = ServerText.excerpt(of: response).map { ": \($0)" } ?? ""
        return UploadFailure(
            .permanent,
            "the address does not answer as a tus server does: it gave \(response.status)\(name) to a new upload\(said)",
            hint: "check the destination's url, which often ends in /files/, and its protocol",
            status: response.status)
    }
}
