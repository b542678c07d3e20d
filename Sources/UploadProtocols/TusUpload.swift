import HTTPTypes

import struct Foundation.Date

/// tus 1.0.0: create, ask, append, until the server's offset is the file's length.
public struct TusUpload: UploadProtocol {
    public static let name = "tus"
    public static let traits = ProtocolTraits(resumes: true, isIdempotent: true)

    /// Files up to this many bytes travel with the creation where the server offers that: one round trip instead of
    /// two. Larger ones are created first, so that their address is on disk before their bytes are on the way.
    static let creationLimit: ByteCount = 1 << 20

    private enum Phase: Sendable {
        case asking
        case creating(carrying: ByteCount)
        case querying(Resource)
        case appending(Resource)
    }

    private let item: UploadItem
    private let options: ProtocolOptions
    private var phase = Phase.asking
    private var capabilities: ServerCapabilities?
    private var restarts = 0
    private var strangeOffsets = 0
    /// True once this attempt has put the whole file on the wire: then a vanished resource may be a finished one.
    private var sentEverything = false

    public init(item: UploadItem, options: ProtocolOptions) {
        self.item = item
        self.options = options
    }

    public mutating func start(resource: Resource?, capabilities: ServerCapabilities?) -> Step {
        self.capabilities = capabilities
        if let resource { return query(resource) }
        if capabilities == nil {
            phase = .asking
            return .send(Exchange(.options, item.url, fields: [.tusResumable: "1.0.0"], isIdempotent: true))
        }
        return create()
    }

    public mutating func receive(_ reply: Reply) -> Step {
        let answer: Reply.Answer
        switch reply {
        case .broken(let failure, _): return .failed(failure)
        case .answered(let received): answer = received
        }
        switch phase {
        case .asking: return receiveOptions(answer)
        case .creating(let carried): return receiveCreation(answer, carried: carried)
        case .querying(let resource): return receiveOffset(answer, resource: resource)
        case .appending(let resource): return receiveAppend(answer, resource: resource)
        }
    }

    public func removal(of resource: Resource) -> Exchange? {
        Exchange(.delete, resource.url, fields: [.tusResumable: "1.0.0"], isIdempotent: true)
    }
}

extension TusUpload {
    private mutating func receiveOptions(_ answer: Reply.Answer) -> Step {
        // A server need not answer OPTIONS (tus 1.0.0, "OPTIONS"): then it has the core and creation.
        var found = ServerCapabilities(extensions: ["creation"])
        if [401, 407].contains(answer.status) || AnswerVerdict.failure(answer).isTransient {
            return .failed(AnswerVerdict.failure(answer))
        }
        if (200..<300).contains(answer.status), let list = answer.fields[.tusExtension] {
            found.extensions = Set(list.lowercased().split(separator: ",").map { String($0).trimmingSpaces })
            found.maximumSize = answer.fields[.tusMaxSize].flatMap { ByteCount($0.trimmingSpaces) }
        }
        capabilities = found
        return create(noting: [.capabilities(found)])
    }

    private mutating func create(noting notes: [Step.Note] = []) -> Step {
        if let limit = capabilities?.maximumSize, limit > 0, item.size > limit {
            return .failed(
                UploadFailure(
                    .permanent,
                    "the file has \(ByteFormat.sentence(item.size)), the server takes \(ByteFormat.sentence(limit))"),
                notes: notes)
        }
        let offersContent = capabilities?.extensions.contains("creation-with-upload") ?? false
        let carried = offersContent && item.size <= Self.creationLimit ? item.size : 0
        var fields: HTTPFields = [.tusResumable: "1.0.0", .uploadLength: "\(item.size)"]
        // Both keys always: some servers refuse a later HEAD without them (seen with tuspyserver 4.4.3).
        let given = item.parameters.filter { !["filename", "filetype"].contains($0.name) }
        let entries = [TusMetadata.Entry("filename", item.name), .init("filetype", item.contentType)]
        guard let metadata = TusMetadata(entries + given.map { .init($0.name, $0.value) }) else {
            return .failed(
                UploadFailure(
                    .permanent, "a field's name cannot be tus metadata: \(given.map(\.name).joined(separator: ", "))",
                    hint: "names must differ and hold neither spaces nor commas"))
        }
        fields[.uploadMetadata] = metadata.header
        if carried > 0 { fields[.contentType] = Self.contentType }
        phase = .creating(carrying: carried)
        return .send(
            Exchange(
                .post, item.url, fields: fields, body: carried > 0 ? .file(range: 0..<carried) : .none,
                isIdempotent: carried == 0, mayComplete: carried == item.size),
            notes: notes)
    }

    private mutating func receiveCreation(_ answer: Reply.Answer, carried: ByteCount) -> Step {
        guard answer.status == 201 || answer.status == 200 else { return .failed(AnswerVerdict.failure(answer)) }
        guard let location = answer.fields[.location] else {
            return .failed(
                UploadFailure(
                    .permanent, "the server made the upload and did not say where (no Location)",
                    hint: "check that the destination's url is a tus endpoint"))
        }
        do throws(UploadFailure) {
            var resource = Resource(url: try UploadAddress.resolve(location, against: item.url))
            resource.expires = Self.expiry(in: answer)
            // Without the field the server ignored the content (creation-with-upload is optional).
            if carried > 0, answer.fields[.uploadOffset] != nil {
                return advance(resource, to: answer, note: true)
            }
            return append(resource, noting: [.resource(resource)])
        } catch {
            return .failed(error)
        }
    }

    private mutating func query(_ resource: Resource, noting notes: [Step.Note] = []) -> Step {
        phase = .querying(resource)
        return .send(
            Exchange(.head, resource.url, fields: [.tusResumable: "1.0.0"], isIdempotent: true), notes: notes)
    }

    private mutating func receiveOffset(_ answer: Reply.Answer, resource: Resource) -> Step {
        let hasOffset = answer.fields[.uploadOffset] != nil
        switch answer.status {
        case 200, 204: return advance(resource, to: answer, note: true)
        case 404, 410: return gone(resource)
        case 403 where !hasOffset: return gone(resource)
        case 423: return .failed(Self.locked(answer))
        default: return .failed(AnswerVerdict.failure(answer))
        }
    }

    private mutating func append(_ resource: Resource, noting notes: [Step.Note] = []) -> Step {
        guard resource.confirmed < item.size else { return .done(receipt(resource), notes: notes) }
        let end = options.chunkSize.map { min(item.size, resource.confirmed + max(1, $0)) } ?? item.size
        let fields: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "\(resource.confirmed)", .contentType: Self.contentType,
        ]
        phase = .appending(resource)
        sentEverything = sentEverything || end == item.size
        return .send(
            Exchange(
                .patch, resource.url, fields: fields, body: .file(range: resource.confirmed..<end),
                isIdempotent: true, mayComplete: end == item.size),
            notes: notes)
    }

    private mutating func receiveAppend(_ answer: Reply.Answer, resource: Resource) -> Step {
        switch answer.status {
        case 200, 204: return advance(resource, to: answer, note: false)
        case 409, 460: return query(resource)
        case 404, 410: return gone(resource)
        case 423: return .failed(Self.locked(answer))
        default: return .failed(AnswerVerdict.failure(answer))
        }
    }

    /// Goes on from the offset in `answer`, whatever we believed before.
    private mutating func advance(_ resource: Resource, to answer: Reply.Answer, note isQuery: Bool) -> Step {
        guard let offset = answer.fields[.uploadOffset].flatMap({ ByteCount($0.trimmingSpaces) }), offset >= 0 else {
            strangeOffsets += 1
            guard strangeOffsets < 3 else {
                return .failed(UploadFailure(.permanent, "the server does not say how much it holds (Upload-Offset)"))
            }
            return query(resource)
        }
        if offset > item.size || lengthDiffers(answer) {
            return restart(after: resource, because: "the server's upload does not fit this file")
        }
        var moved = resource
        moved.confirmed = offset
        moved.expires = Self.expiry(in: answer) ?? resource.expires
        var notes: [Step.Note] = [.resource(moved)]
        if offset < resource.confirmed { notes.insert(.serverLost(resource.confirmed - offset), at: 0) }
        if !isQuery, offset <= resource.confirmed {
            // The server took a request and kept nothing of it: asking the same again would never end.
            strangeOffsets += 1
            if strangeOffsets >= 3 {
                return .failed(
                    UploadFailure(.server, "the server accepts bytes and does not keep them"), notes: notes)
            }
        }
        return append(moved, noting: notes)
    }

    private mutating func gone(_ resource: Resource) -> Step {
        if resource.confirmed >= item.size || sentEverything {
            return .failed(WholeUpload.unknownOutcome(nil), notes: [])
        }
        return restart(after: resource, because: "the server no longer knows the upload")
    }

    private mutating func restart(after resource: Resource, because reason: String) -> Step {
        restarts += 1
        guard restarts < 2 else {
            return .failed(UploadFailure(.permanent, "\(reason), twice in a row"), notes: [.resource(nil)])
        }
        sentEverything = false
        return create(noting: [.serverLost(resource.confirmed), .resource(nil)])
    }

    private func lengthDiffers(_ answer: Reply.Answer) -> Bool {
        guard let length = answer.fields[.uploadLength] else { return false }
        return ByteCount(length.trimmingSpaces) != item.size
    }

    private func receipt(_ resource: Resource) -> Receipt { Receipt(location: resource.url, bytes: item.size) }

    private static let contentType = "application/offset+octet-stream"

    private static func expiry(in answer: Reply.Answer) -> Date? {
        answer.fields[.uploadExpires].flatMap { HTTPDate.parse($0, now: Date()) }
    }

    /// The server still believes that an older connection writes there; it notices within seconds.
    private static func locked(_ answer: Reply.Answer) -> UploadFailure {
        var failure = AnswerVerdict.failure(answer)
        failure.category = .server
        failure.retryAfter = RetryAfter.seconds(in: answer.fields, now: Date()) ?? 3
        return failure
    }
}
