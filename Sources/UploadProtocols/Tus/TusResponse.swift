import FerryFiles
import HTTPTypes

/// The facts in the header fields of a tus server's response.
extension ExchangeOutcome.Response {
    var uploadOffset: ByteCount? { Self.count(fields[.uploadOffset]) }

    var expiry: Date? { date(in: .uploadExpires) }

    /// True if the response has a header field of tus. Some refusals have none (seen with tuspyserver 4.4.3).
    var namesTus: Bool {
        [HTTPField.Name.tusResumable, .tusVersion, .tusExtension, .uploadOffset].contains {
            fields[$0] != nil
        }
    }

    /// True if the response has a field `Upload-Length` with another value than `length`.
    func tellsOtherLength(than length: ByteCount) -> Bool {
        fields[.uploadLength].map { Self.count($0) != length } ?? false
    }

    /// Parses a number of bytes, written in decimal digits only; nil if there is none.
    static func count(_ field: String?) -> ByteCount? {
        field.flatMap { ByteCount(digits: $0.trimmingSpaces) }
    }
}

/// The failures for responses in which a tus server refuses a request.
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
    static func failure(
        _ response: ExchangeOutcome.Response, to method: HTTPRequest.Method
    ) -> UploadFailure {
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
