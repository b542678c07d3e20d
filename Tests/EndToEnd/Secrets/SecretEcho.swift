import Foundation

/// A response in which a server repeats the secrets of a request, in each form.
struct SecretEcho {
    /// The first secret as it is, or `box` if there is none.
    let first: String
    private let texts: [String]
    private let protocolName: String

    /// - Parameter number: The number of the response. Ferry shows only the beginning of a text, so each response begins
    ///   with other forms.
    init(of secrets: [String], in protocolName: String, number: Int) {
        let all = secrets.flatMap(SecretForms.all)
        let start = 4 * number % max(1, all.count)
        texts = Array(all[start...] + all[..<start])
        first = secrets.first ?? "box"
        self.protocolName = protocolName
    }

    /// All forms as the value of a header field.
    var line: String { texts.joined(separator: " ") }

    private var type: String {
        switch protocolName {
        case "s3", "webdav", "nextcloud", "azure": "application/xml"
        case "google", "graph": "application/json"
        default: "text/plain"
        }
    }

    /// The header fields that every response may have.
    var fields: [(String, String)] {
        [
            ("Content-Type", type), ("ETag", "\"\(first)\""), ("WWW-Authenticate", "Bearer \(first)"),
            ("Allow", line), ("X-Reason", line),
        ]
    }

    /// A refusal as the servers of the protocol write it.
    var body: String {
        let text = texts.joined(separator: "\n")
        switch protocolName {
        case "s3", "azure":
            return "<Error><Code>\(first)</Code><Message>\(Self.escaped(text))</Message></Error>"
        case "webdav", "nextcloud":
            return #"<error xmlns="DAV:"><message>\#(Self.escaped(text))</message></error>"#
        case "google", "graph": return Self.json(["error": ["code": first, "message": text]])
        default: return text
        }
    }

    /// A refusal of a server for tokens (RFC 6749 §5.2).
    var refusedSignIn: String { Self.json(["error": "invalid_grant", "error_description": line]) }

    private static func json(_ value: some Encodable) -> String {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
