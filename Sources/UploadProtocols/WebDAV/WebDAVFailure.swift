import HTTPTypes

import struct Foundation.Date

/// What WebDAV servers refuse, in words.
enum WebDAVFailure {
    /// Seconds until a lock is asked for again where the server names no time.
    private static let lockWait = 10.0

    static func failure(_ answer: Reply.Answer) -> UploadFailure {
        var failure = AnswerVerdict.failure(answer)
        if let said = message(in: answer) { failure.summary += ": \(said)" }
        switch answer.status {
        case 423:
            failure = waiting(failure, answer)
            failure.hint = "somebody has it open or locked there; it is tried again until they let go"
        case 507: failure.hint = "the server's disk or your quota there is full; make room, then retry"
        default: break
        }
        return failure
    }

    /// Tried again soon, a few times.
    static func waiting(_ failure: UploadFailure, _ answer: Reply.Answer) -> UploadFailure {
        var failure = failure
        failure.category = .server
        failure.retryAfter =
            failure.retryAfter ?? RetryAfter.seconds(in: answer.fields, now: Date()) ?? lockWait
        return failure
    }

    /// Without `MOVE` a file could only be written at its own place.
    static func noMove(_ status: Int?) -> UploadFailure {
        UploadFailure(
            .permanent,
            "the server does not let files be moved into place"
                + (status.map { " (MOVE gives \($0))" } ?? " (it does not offer MOVE)"),
            hint: "set the destination's protocol to put", status: status)
    }

    static func move(_ answer: Reply.Answer) -> UploadFailure {
        var failure = failure(answer)
        // RFC 4918 §9.9.4: the destination is on another server. So says one that does not know its own address.
        if answer.status == 502 {
            failure.hint = "if a proxy stands before the server, have it pass Host on or rewrite Destination"
        }
        return failure
    }

    /// SabreDAV, and with it Nextcloud, says why in an element of its own.
    private static func message(in answer: Reply.Answer) -> String? {
        guard answer.fields[.contentType]?.lowercased().contains("xml") == true,
            let root = XMLDocument.parse(answer.body), root.name == "error",
            let text = root.child(named: "message")?.text, !text.isEmpty
        else { return nil }
        return ServerText.cleaned(text)
    }
}
