import FerryFiles
import HTTPTypes

/// The facts in the header fields of tus servers.
extension ExchangeOutcome.Response {
    /// The offset; nil if it is missing or not a count.
    var uploadOffset: ByteCount? { Self.count(fields[.uploadOffset]) }

    var expiry: Date? { fields[.uploadExpires].flatMap { HTTPDate.parse($0, now: Date()) } }

    /// True if only a tus server can have sent the response. Servers omit these fields in refusals (seen with
    /// tuspyserver 4.4.3), so false proves nothing there.
    var namesTus: Bool {
        [HTTPField.Name.tusResumable, .tusVersion, .tusExtension, .uploadOffset].contains {
            fields[$0] != nil
        }
    }

    /// True if the server's upload has another length than ours; unknown and deferred lengths do not differ.
    func tellsOtherLength(than length: ByteCount) -> Bool {
        guard let told = fields[.uploadLength] else { return false }
        return Self.count(told) != length
    }

    /// Parses a count of bytes in the form of tus: only decimal digits.
    static func count(_ field: String?) -> ByteCount? {
        guard let digits = field?.trimmingSpaces, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return ByteCount(digits)
    }
}

/// The meaning of a tus server's refusal, if `ResponseClassifier` does not know it.
enum TusVerdict {
    static let version = "1.0.0"

    static func failure(_ answer: ExchangeOutcome.Response, limit: ByteCount? = nil) -> UploadFailure {
        if let locked = LockedUpload.failure(answer, to: .post) { return locked }
        var failure = ResponseClassifier.failure(answer)
        switch answer.status {
        case 412:
            let spoken = answer.fields[.tusVersion].map { "it speaks \(ServerText.cleaned($0))" }
            failure.summary = "the server does not take tus \(version): \(spoken ?? "it answered 412")"
            failure.hint = "check that the destination's url is a tus 1.0 endpoint"
        case 413:
            if let limit = ExchangeOutcome.Response.count(answer.fields[.tusMaxSize]) ?? limit, limit > 0 {
                failure.summary += "; it takes \(ByteFormat.sentence(limit))"
            }
        default: break
        }
        return failure
    }

    /// Returns the failure of a refused request about an upload.
    static func failure(_ answer: ExchangeOutcome.Response, to method: HTTPRequest.Method) -> UploadFailure {
        LockedUpload.failure(answer, to: method) ?? failure(answer)
    }

    static func isNoTusServer(_ answer: ExchangeOutcome.Response) -> UploadFailure {
        let name = StatusName.of(answer.status).map { " (\($0))" } ?? ""
        return UploadFailure(
            .permanent,
            "the address does not answer as a tus server does: it gave \(answer.status)\(name) to a new upload",
            hint: "check the destination's url, which often ends in /files/, and its protocol",
            status: answer.status)
    }
}
