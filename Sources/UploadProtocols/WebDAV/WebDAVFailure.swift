import FerryFiles
import HTTPTypes

enum WebDAVFailure {
    /// The seconds to wait for a lock, if the server names no time.
    private static let lockWait = 10.0

    static func failure(_ response: ExchangeOutcome.Response) -> UploadFailure {
        var failure = ResponseClassifier.failure(response)
        if let said = message(in: response) { failure.summary += ": \(said)" }
        switch response.status {
        case 423:
            failure = waiting(failure, response)
            failure.hint = "another client has it open or locked there; Ferry retries until it is free"
        case 507: failure.hint = "the server's disk or your quota there is full; make room, then retry"
        default: break
        }
        return failure
    }

    /// Returns `failure` as a temporary one, with its own time to wait, or the response's, or `lockWait`.
    static func waiting(_ failure: UploadFailure, _ response: ExchangeOutcome.Response) -> UploadFailure {
        var failure = failure
        failure.category = .server
        failure.retryAfter =
            failure.retryAfter ?? RetryAfter.seconds(in: response.fields, now: Date()) ?? lockWait
        return failure
    }

    /// Returns the failure for a server that does not support `MOVE`.
    ///
    /// - Parameter status: The status of the response to a `MOVE`; nil if the server does not even offer it.
    static func noMove(_ status: Int?) -> UploadFailure {
        UploadFailure(
            .permanent,
            "the server does not let files be moved into place"
                + (status.map { " (MOVE gives \($0))" } ?? " (it does not offer MOVE)"),
            hint: "set the destination's protocol to put", status: status)
    }

    static func move(_ response: ExchangeOutcome.Response) -> UploadFailure {
        var failure = failure(response)
        // RFC 4918 §9.9.4: the destination is on another server, or the server does not know its own host.
        if response.status == 502 {
            failure.hint = "if a proxy stands before the server, have it pass Host on or rewrite Destination"
        }
        return failure
    }

    /// Returns the failure for a `MOVE` after which no file has the final name. The usual cause is a proxy that changes
    /// the path of a request, but not the URL in `Destination`.
    ///
    /// - Parameter refusal: The response that refused the `MOVE`; nil if the server reported success.
    static func astray(_ refusal: ExchangeOutcome.Response?) -> UploadFailure {
        let summary =
            refusal.map { "the server cannot move the file into place: \(failure($0).summary)" }
            ?? "the server reported that the file was moved into place, but it is not there"
        return UploadFailure(
            .permanent, summary,
            hint:
                "a proxy before the server must pass Host on and rewrite Destination as it rewrites the path; "
                + "correct it, set the url to the server's own path, or set protocol to put",
            status: refusal?.status)
    }

    /// Returns the failure for a file that is too large for one request, and cannot be sent in smaller ones.
    ///
    /// - Parameter refusesParts: True if the server does not accept a file in parts of any size.
    static func requestTooLarge(
        _ response: ExchangeOutcome.Response, size: ByteCount, refusesParts: Bool
    ) -> UploadFailure {
        var failure = failure(response).naming(size)
        failure.hint =
            SingleRequestUpload.raiseLimit
            + (refusesParts ? "; the server does not take files in chunks (chunkSize)" : "")
        return failure
    }

    private static func message(in response: ExchangeOutcome.Response) -> String? {
        guard response.fields[.contentType]?.lowercased().contains("xml") == true,
            let root = XMLDocument.parse(response.body), root.name == "error",
            let text = root.child(named: "message")?.text, !text.isEmpty
        else { return nil }
        return ServerText.cleaned(text)
    }
}
