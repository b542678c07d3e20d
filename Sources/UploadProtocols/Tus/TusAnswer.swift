import FerryFiles
import HTTPTypes

/// The facts in the header fields of tus servers.
extension ExchangeOutcome.Response {
    /// The value of `Upload-Offset` in bytes; nil if it is missing or not a number.
    var uploadOffset: ByteCount? { Self.count(fields[.uploadOffset]) }

    var expiry: Date? { date(in: .uploadExpires) }

    /// True if the response has a header field of tus. For a refusal, false proves nothing: the refusals of some tus
    /// servers have none of these fields (seen with tuspyserver 4.4.3).
    var namesTus: Bool {
        [HTTPField.Name.tusResumable, .tusVersion, .tusExtension, .uploadOffset].contains {
            fields[$0] != nil
        }
    }

    /// True if `Upload-Length` in the response differs from `length`. A missing or deferred length does not differ.
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

/// The failures for refusals of a tus server, including cases that `ResponseClassifier` does not handle.
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

    /// Returns the failure for a refused request with the method `method` to an upload's URL.
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
