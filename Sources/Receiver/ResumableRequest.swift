import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// The stored properties of an upload by the IETF draft that a tus upload does not have.
struct ResumableTerms: Codable, Hashable, Sendable {
    let path: String
    /// The `Repr-Digest` of the request that created the upload, which the whole file must have; nil if it had none.
    let digest: String?

    func wish() throws(Refusal) -> StoredPath {
        guard let path = StoredPath(text: path) else { throw Refusal(.badRequest, "The file name is lost.") }
        return path
    }
}

/// The values in the header fields of a request that follows the IETF draft for resumable uploads.
struct ResumableRequest {
    /// The supported interop versions of the IETF draft. A request that names no version counts as version 8.
    static let versions: Set<InteropVersion> = [.six, .eight]

    /// The interop version of the request; nil if the receiver does not support the version.
    let version: InteropVersion?
    /// True if the content of this request ends the upload; nil if the request does not say so.
    let isComplete: Bool?
    let offset: Int?
    let length: Int?

    init(_ fields: HTTPFields) {
        let named = fields[.uploadDraftInteropVersion]
        version =
            named == nil
            ? .eight : InteropVersion(field: named).flatMap { Self.versions.contains($0) ? $0 : nil }
        isComplete =
            StructuredField.boolean(fields[.uploadComplete])
            ?? StructuredField.boolean(fields[.uploadIncomplete]).map { !$0 }
        offset = StructuredField.count(fields[.uploadOffset]).map { Int($0) }
        length = StructuredField.count(fields[.uploadLength]).map { Int($0) }
    }
}

extension HTTPResponse.Status {
    /// The interim status 104 of draft-ietf-httpbis-resumable-upload.
    static let uploadResumptionSupported = HTTPResponse.Status(
        code: 104, reasonPhrase: "Upload Resumption Supported")
}

extension Refusal {
    /// Creates a refusal whose response is a problem document (RFC 9457).
    /// - Parameters:
    ///   - problem: The name of the problem type, registered with IANA or proposed.
    ///   - members: The members of the document besides `type` and `title`.
    init(
        _ status: HTTPResponse.Status, problem: String, _ reason: String, members: [String: Int] = [:],
        fields: HTTPFields = [:]
    ) {
        self.init(status, reason, fields: fields)
        var body = members.mapValues { JSONValue.whole($0) }
        body["type"] = .text("https://iana.org/assignments/http-problem-types#\(problem)")
        body["title"] = .text(reason)
        guard let json = try? JSONEncoder().encode(body) else { return }
        response.fields[.contentType] = "application/problem+json"
        response.body.clear()
        response.body.writeBytes(json)
    }
}
