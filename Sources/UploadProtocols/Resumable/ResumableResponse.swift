import FerryFiles
import HTTPTypes

/// The facts about an upload in a response of any interop version. A malformed header field counts as absent.
struct ResumableResponse: Sendable {
    var isComplete: Bool?
    /// The number of bytes that the server has stored; nil if the response does not state it.
    var offset: ByteCount?
    /// The number of bytes of the whole file; nil if the response does not state it.
    var length: ByteCount?
    var limit: UploadLimit?
    /// The interop version that the response names; nil if it names none, or one that Ferry does not support.
    var version: InteropVersion?
    var problem: ResumableProblem?

    /// - Parameter version: The interop version of the request.
    init(_ response: ExchangeOutcome.Response, version asked: InteropVersion) {
        let fields = response.fields
        version = InteropVersion(field: fields[.uploadDraftInteropVersion])
        // Both fields are read in any version, because swift-nio-extras 1.35.2 sends one in place of the other.
        isComplete =
            StructuredField.boolean(fields[.uploadComplete])
            ?? StructuredField.boolean(fields[.uploadIncomplete]).map { !$0 }
        offset = StructuredField.count(fields[.uploadOffset])
        length = StructuredField.count(fields[.uploadLength])
        limit = fields[.uploadLimit].flatMap { UploadLimit($0, version: asked) }
        problem = ResumableProblem(response)
    }

    /// True if the response shows that the server supports resumable uploads.
    var isTelling: Bool { version != nil || isComplete != nil || offset != nil || limit != nil }
}

/// The problems that a server can report in the JSON body of a refusal (RFC 9457), by the types of
/// draft-ietf-httpbis-resumable-upload and draft-ietf-httpapi-digest-fields-problem-types.
enum ResumableProblem: Sendable, Hashable {
    case mismatchingOffset
    case completedUpload
    case inconsistentLength
    case mismatchingDigest

    private struct Body: Decodable { var type: String }

    init?(_ response: ExchangeOutcome.Response) {
        guard response.fields[.contentType]?.lowercased().hasPrefix("application/problem+json") == true,
            let type = response.decoded(as: Body.self)?.type,
            let mark = type.lastIndex(where: { $0 == "#" || $0 == "/" })
        else { return nil }
        switch type[type.index(after: mark)...] {
        case "mismatching-upload-offset": self = .mismatchingOffset
        case "completed-upload": self = .completedUpload
        case "inconsistent-upload-length": self = .inconsistentLength
        case "digest-mismatching-values", "mismatching-digest-value": self = .mismatchingDigest
        default: return nil
        }
    }

    func failure(status: Int) -> UploadFailure {
        switch self {
        case .mismatchingOffset:
            UploadFailure(.server, "the server has another number of bytes than expected", status: status)
        case .completedUpload:
            UploadFailure(
                .permanent, "the server says that this upload is complete and takes no more of it",
                hint: "look at the server; remove the upload and add the file again to send it anew",
                status: status)
        case .inconsistentLength:
            UploadFailure(
                .permanent, "the server has another length of the file from before",
                hint: "remove the upload and add the file again", status: status)
        case .mismatchingDigest:
            UploadFailure(
                .permanent, "what arrived at the server is not what was read here: the digests differ",
                hint: "retry sends it again; if that happens every time, suspect the disk or the memory",
                status: status)
        }
    }
}
