package import FerryFiles
import HTTPTypes

/// The translation of unsuccessful responses to failures, the same for every protocol (RFC 9110 §15).
package enum ResponseClassifier {
    /// Returns the failure for an unsuccessful response, worded for users.
    package static func failure(_ response: ExchangeOutcome.Response, now: Date = Date()) -> UploadFailure {
        let said = ServerText.excerpt(of: response).map { ": \($0)" } ?? ""
        let name = StatusName.of(response.status).map { " (\($0))" } ?? ""
        let goal = redirection(of: response).map { " and sends it to \($0)" } ?? ""
        let wanted = response.status == 401 ? SignInWish(response) : nil
        let summary = "the server answered \(response.status)\(name)\(wanted?.clause ?? "")\(goal)\(said)"
        let wait = RetryAfter.seconds(in: response.fields, now: now)
        var failure = UploadFailure(category(response.status), summary, status: response.status)
        // RFC 9110 §15.5.14: with Retry-After the refusal of the size is temporary.
        if response.status == 413, wait != nil { failure.category = .server }
        failure.hint = wanted?.hint ?? hint(response)
        if failure.category == .server { failure.retryAfter = wait }
        return failure
    }

    private static func category(_ status: Int) -> UploadFailure.Category {
        switch status {
        case 401, 407: .authentication
        // A proxy sends 520–524 if the server behind it fails.
        case 408, 425, 429, 500, 502...504, 507, 520...524: .server
        default: .permanent
        }
    }

    /// Returns the target of a redirect as text for users, without its query, or only the length of one that is too
    /// long. Returns nil if there is no valid target, or if it contains user info, which is possibly secret.
    private static func redirection(of response: ExchangeOutcome.Response) -> String? {
        guard (300..<400).contains(response.status), let location = response.fields[.location],
            let url = URL(string: location), url.user() == nil, url.password() == nil
        else { return nil }
        if isTooLong(location) { return "an address of \(location.utf8.count) bytes, which is too long" }
        let shown = ServerText.cleaned(UploadAddress.withoutQuery(location))
        return shown.isEmpty ? nil : shown
    }

    private static func isTooLong(_ address: String?) -> Bool {
        address.map { $0.utf8.count > UploadAddress.longest } ?? false
    }

    private static func hint(_ response: ExchangeOutcome.Response) -> String? {
        switch response.status {
        case 300..<400 where isTooLong(response.fields[.location]): nil
        case 300..<400: "set the destination's url to the address it redirects to"
        case 403 where !response.carriedCredentials:
            "writing there needs credentials, or is forbidden; set the destination's auth, then retry"
        case 403: "these credentials may not write there; fix the rights, then retry"
        case 404: "check the destination's url, then retry"
        case 405: "the address does not take this method; check the destination's protocol and url"
        case 409: "something is in the way at the server, such as a missing folder or an existing file"
        case 411, 415: "the server does not take this kind of request; check the destination's protocol"
        case 413: "the file is larger than the server takes"
        case 417: "remove the field Expect from the destination's headers, then retry"
        case 507: "the server's disk is full"
        default: nil
        }
    }
}

extension ExchangeOutcome.Response {
    /// True if the server possibly does not support the URL, the method or the content of the request.
    var refusesKind: Bool { [400, 404, 405, 410, 411, 413, 415, 501].contains(status) }
}

extension UploadFailure {
    /// Returns the failure with the file's size added to the summary, if the status is 413 (content too large).
    func naming(_ size: ByteCount) -> UploadFailure {
        guard status == 413 else { return self }
        var failure = self
        failure.summary += "; the file has \(ByteFormat.sentence(size))"
        return failure
    }
}

/// Makes a server's text safe for messages: one line, no control characters, at most 200 code points.
package enum ServerText {
    /// Returns the error message of a JSON body or an HTML page, or the beginning of plain text or of JSON without a
    /// message. A body without a media type is plain text if it is UTF-8 and does not begin with `<`.
    static func excerpt(of response: ExchangeOutcome.Response) -> String? {
        // Compressed content is not decompressed, because a few bytes can expand to gigabytes.
        guard ["identity", nil].contains(response.fields[.contentEncoding]?.lowercased()) else { return nil }
        let type = response.fields[.contentType]?.lowercased() ?? ""
        let body = response.body.prefix(2048)
        let said: String
        if type.contains("json") {
            said = problem(in: response.body) ?? String(decoding: body, as: UTF8.self)
        } else if type.hasPrefix("text/plain") {
            said = String(decoding: body, as: UTF8.self)
        } else if type.isEmpty, let text = String(bytes: body, encoding: .utf8), !text.hasPrefix("<") {
            said = text
        } else if CaptivePortal.isPage(response) {
            return HTMLText.reason(in: response.body, status: response.status)
        } else {
            return nil
        }
        let text = cleaned(said)
        return text.isEmpty ? nil : text
    }

    /// Returns the message of a JSON body of at most 64 KiB, as in RFC 9457 or in common frameworks.
    private static func problem(in body: [UInt8]) -> String? {
        guard body.count <= 64 << 10, let object = JSONValue(document: body)?.object else { return nil }
        return ["detail", "message", "error_description", "error", "title"].lazy
            .compactMap { object[$0]?.text }.first { !$0.isEmpty }
    }

    /// Returns untrusted text as one line of at most 200 code points. Each run of white space becomes one space.
    /// Removes characters that control a terminal or the writing direction, and characters without a standard meaning.
    ///
    /// A longer text is cut and ends with `…`, which lets `Secrets` find and remove the beginning of a cut secret.
    package static func cleaned(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            let isSpace = scalar.properties.isWhitespace || scalar == "\u{0}"
            if isSpace ? line.last == " " || line.isEmpty : !isHarmless(scalar) { continue }
            if count == limit {
                if isSpace { continue }
                line.removeLast()
                line.append("…")
                break
            }
            line.append(isSpace ? " " : scalar)
            count += 1
        }
        return String(line).trimmingSpaces
    }

    private static let limit = 200

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: !scalar.properties.isNoncharacterCodePoint
        }
    }
}

/// The names of statuses for messages (RFC 9110 §15), because the server's own reason phrase may contain any text.
enum StatusName {
    private static let names = [
        301: "moved permanently", 302: "found elsewhere", 303: "see other", 307: "temporary redirect",
        308: "permanent redirect", 400: "bad request", 401: "not signed in", 403: "forbidden",
        404: "not found", 405: "method not allowed", 408: "request timed out", 409: "conflict", 410: "gone",
        411: "length required", 412: "precondition failed", 413: "too large", 415: "unsupported media type",
        417: "expectation failed", 421: "misdirected request", 422: "cannot be processed", 423: "locked",
        429: "too many requests", 500: "internal error", 501: "not implemented", 502: "bad gateway",
        503: "unavailable", 504: "gateway timed out", 507: "insufficient storage",
    ]

    static func of(_ status: Int) -> String? { names[status] }
}
