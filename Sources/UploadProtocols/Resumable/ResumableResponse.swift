import FerryFiles
import HTTPTypes

/// The facts about an upload in a response, in the words of any version. Malformed fields count as absent.
struct ResumableResponse: Sendable {
    /// True if the answer is the target's own verdict; false if the upload is not complete.
    var isComplete: Bool?
    /// Bytes at the server.
    var offset: ByteCount?
    /// Bytes of the whole file.
    var length: ByteCount?
    var limit: UploadLimit?
    /// The version that the server speaks.
    var version: InteropVersion?
    var problem: ResumableProblem?

    /// - Parameter version: The one that was asked in.
    init(_ answer: ExchangeOutcome.Response, version asked: InteropVersion) {
        let fields = answer.fields
        version = InteropVersion(field: fields[.uploadDraftInteropVersion])
        // Either field, whatever the version: swift-nio-extras 1.35.2 has them swapped.
        isComplete =
            StructuredField.boolean(fields[.uploadComplete])
            ?? StructuredField.boolean(fields[.uploadIncomplete]).map { !$0 }
        offset = StructuredField.count(fields[.uploadOffset])
        length = StructuredField.count(fields[.uploadLength])
        limit = fields[.uploadLimit].flatMap { UploadLimit($0, version: asked) }
        problem = ResumableProblem(answer)
    }

    /// True if only a server that knows of resumable uploads says such a thing.
    var isTelling: Bool { version != nil || isComplete != nil || offset != nil || limit != nil }
}

/// The problem types of draft-ietf-httpbis-resumable-upload, and of draft-ietf-httpapi-digest-fields-problem-types.
enum ResumableProblem: Sendable, Hashable {
    case mismatchingOffset(expected: ByteCount?)
    case completedUpload
    case inconsistentLength
    case mismatchingDigest

    private struct Body: Decodable {
        enum CodingKeys: String, CodingKey {
            case type
            case expectedOffset = "expected-offset"
        }

        var type: String
        var expectedOffset: ByteCount?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            type = try container.decode(String.self, forKey: .type)
            expectedOffset = (try? container.decode(ByteCount.self, forKey: .expectedOffset))
                .flatMap { $0 < 0 ? nil : $0 }
        }
    }

    /// - Returns: nil if the answer is no problem (RFC 9457), or none of these.
    init?(_ answer: ExchangeOutcome.Response) {
        guard answer.fields[.contentType]?.lowercased().hasPrefix("application/problem+json") == true,
            let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body)),
            let mark = body.type.lastIndex(where: { $0 == "#" || $0 == "/" })
        else { return nil }
        switch body.type[body.type.index(after: mark)...] {
        case "mismatching-upload-offset": self = .mismatchingOffset(expected: body.expectedOffset)
        case "completed-upload": self = .completedUpload
        case "inconsistent-upload-length": self = .inconsistentLength
        case "digest-mismatching-values", "mismatching-digest-value": self = .mismatchingDigest
        default: return nil
        }
    }

    /// The server's refusal in words of ours.
    func failure(status: Int) -> UploadFailure {
        switch self {
        case .mismatchingOffset:
            UploadFailure(
                .server, "the server holds another number of bytes than we took it to hold", status: status)
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
