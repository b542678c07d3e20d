import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

struct Response {
    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body = ByteBuffer()

    init(_ status: HTTPResponse.Status, fields: HTTPFields = [:]) {
        self.status = status
        self.fields = fields
    }

    /// Creates a response with a sentence in plain text for the user of the client.
    init(_ status: HTTPResponse.Status, saying text: String, fields: HTTPFields = [:]) {
        self.init(status, fields: fields)
        self.fields[.contentType] = "text/plain; charset=utf-8"
        body.writeString(text + "\n")
    }
}

/// The refusal of a request: the response, and the reason for the log.
struct Refusal: Error {
    var response: Response
    var reason: String

    init(_ status: HTTPResponse.Status, _ reason: String, fields: HTTPFields = [:]) {
        response = Response(status, saying: reason, fields: fields)
        self.reason = reason
    }

    init(_ problem: NameProblem) { self.init(.badRequest, "Cannot store this: \(problem).") }
}

extension HTTPResponse.Status {
    /// The status 507 (RFC 4918 §11.5).
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

extension HTTPField.Name {
    static let uploadConcat = named("Upload-Concat")
}

extension HTTPFields {
    /// Reads a header field that must be a non-negative decimal integer. Returns nil if the field is missing.
    /// - Throws: `Refusal` with 400 if the value is empty, has other characters than digits, or exceeds `Int`.
    func count(_ name: HTTPField.Name) throws(Refusal) -> Int? {
        guard let text = self[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(text)
        else {
            throw Refusal(.badRequest, "\(name.canonicalName) is not a number of bytes.")
        }
        return count
    }
}
