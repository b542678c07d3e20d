import FerryFiles
import HTTPTypes

/// The refusals of WebDAV servers, in words.
enum WebDAVFailure {
    /// Seconds until a lock is asked for again where the server names no time.
    private static let lockWait = 10.0

    static func failure(_ answer: ExchangeOutcome.Response) -> UploadFailure {
        var failure = ResponseClassifier.failure(answer)
        if let said = message(in: answer) { failure.summary += ": \(said)" }
        switch answer.status {
        case 423:
            failure = waiting(failure, answer)
            failure.hint = "another client has it open or locked there; Ferry retries until it is free"
        case 507: failure.hint = "the server's disk or your quota there is full; make room, then retry"
        default: break
        }
        return failure
    }

    /// Tried again soon, a few times.
    static func waiting(_ failure: UploadFailure, _ answer: ExchangeOutcome.Response) -> UploadFailure {
        var failure = failure
        failure.category = .server
        failure.retryAfter =
            failure.retryAfter ?? RetryAfter.seconds(in: answer.fields, now: Date()) ?? lockWait
        return failure
    }

    /// The failure of a server without `MOVE`, where a file could only be written under its final name.
    static func noMove(_ status: Int?) -> UploadFailure {
        UploadFailure(
            .permanent,
            "the server does not let files be moved into place"
                + (status.map { " (MOVE gives \($0))" } ?? " (it does not offer MOVE)"),
            hint: "set the destination's protocol to put", status: status)
    }

    static func move(_ answer: ExchangeOutcome.Response) -> UploadFailure {
        var failure = failure(answer)
        // RFC 4918 §9.9.4: the destination is on another server. So says one that does not know its own address.
        if answer.status == 502 {
            failure.hint = "if a proxy stands before the server, have it pass Host on or rewrite Destination"
        }
        return failure
    }

    /// A `MOVE` that did not lead to the file's place, though the file was whole and its folder there: the server read
    /// another address in `Destination` than the client meant. A proxy that maps paths rewrites the request's own path
    /// and, unless told to, leaves that field as it is.
    ///
    /// - Parameter refusal: The server's answer; nil if it reported success.
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

    /// The server takes no request as large as the file, and no parts of a file.
    static func requestTooLarge(_ answer: ExchangeOutcome.Response, size: ByteCount) -> UploadFailure {
        var failure = failure(answer).naming(size)
        failure.hint =
            "raise what the server or a proxy takes in one request (LimitRequestBody, client_max_body_size); "
            + "the server does not take files in pieces (chunkSize)"
        return failure
    }

    /// SabreDAV, and with it Nextcloud, says why in an element of its own.
    private static func message(in answer: ExchangeOutcome.Response) -> String? {
        guard answer.fields[.contentType]?.lowercased().contains("xml") == true,
            let root = XMLDocument.parse(answer.body), root.name == "error",
            let text = root.child(named: "message")?.text, !text.isEmpty
        else { return nil }
        return ServerText.cleaned(text)
    }
}
