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

    static let overQuota = Refusal(.insufficientStorage, "The receiver's quota is used up.")

    /// Creates the refusal for an error; nil if the connection is lost.
    init?(for error: any Error) {
        switch error {
        case let refusal as Refusal: self = refusal
        case let problem as NameProblem: self.init(.badRequest, "Cannot store this: \(problem).")
        case let error as MultipartError: self.init(.badRequest, "Cannot read this: \(error).")
        case let error as SystemCallError: self.init(error)
        case Exchange.Cut.tooSlow:
            self.init(
                .requestTimeout, "The content came too slowly; the connection is closed.",
                fields: [.connection: "close"])
        default: return nil
        }
    }

    /// Creates the refusal for a failed system call. Only `reason`, which is for the log, names the call.
    private init(_ error: SystemCallError) {
        switch error.code {
        case .noSpace: self.init(.insufficientStorage, "The receiver's disk is full.")
        case .diskQuotaExceeded: self = .overQuota
        case .notDirectory, .tooManySymbolicLinkLevels, .isDirectory:
            self.init(.conflict, "A folder or a link of that name is in the way.")
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            self.init(.forbidden, "The receiver may not write there.")
        case .fileNameTooLong: self.init(.badRequest, "The path is too long.")
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            // RFC 9110 §15.6.4: a temporary condition. Connections that end release descriptors.
            self.init(
                .serviceUnavailable, "The receiver has too many files open.", fields: [.retryAfter: "1"])
        default: self.init(.internalServerError, "The receiver could not store this.")
        }
        reason = "\(reason) (\(error))"
    }
}

extension HTTPResponse.Status {
    /// The status 507 (RFC 4918 §11.5).
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
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
