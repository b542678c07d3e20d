import HTTPTypes

import struct Foundation.Date

/// tus 1.0.0: create, ask, append, until the server's offset is the file's length.
public struct TusUpload: SequentialProtocol {
    public static let name = "tus"
    public static let traits = ProtocolTraits(resumes: true)

    /// Files up to this many bytes travel with the creation where the server offers that: one round trip instead of
    /// two. Larger ones are created first, so that their address is on disk before their bytes are on the way.
    static let creationLimit: ByteCount = 1 << 20

    private enum Phase: Sendable {
        case asking
        case creating(carrying: ByteCount)
        case querying(Resource)
        case appending(Resource, end: ByteCount)
    }

    /// How often in a row the server may answer without moving on, and how often it may lose bytes.
    private static let patience = 3

    private let item: UploadItem
    private let options: ProtocolOptions
    private var phase = Phase.asking
    private var capabilities: ServerCapabilities?
    private var restarts = 0
    private var answersWithoutProgress = 0
    private var losses = 0

    /// - Parameter options: The chunk size is taken from them.
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
        case .appending(let resource, let end): return receiveAppend(answer, resource: resource, end: end)
        }
    }

    public func removal(of resource: Resource) -> [Exchange] {
        [Exchange(.delete, resource.url, fields: [.tusResumable: "1.0.0"], isIdempotent: true)]
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
            found.maximumSize = Self.count(answer.fields[.tusMaxSize])
        }
        capabilities = found
        return create(noting: [.capabilities(found)])
    }

    private mutating func create(noting notes: [Step.Note] = []) -> Step {
        if let limit = capabilities?.maximumSize, limit > 0, item.size > limit {
            return .failed(
                UploadFailure(
                    .permanent,
                    "the file has \(ByteFormat.sentence(item.size)), the server takes \(ByteFormat.sentence(limit))"
                ),
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
                    .permanent,
                    "a field's name cannot be tus metadata: \(given.map(\.name).joined(separator: ", "))",
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
        guard answer.status == 201 || answer.status == 200 else {
            return .failed(AnswerVerdict.failure(answer))
        }
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
                return advance(resource, to: answer, end: carried)
            }
            return append(resource, after: answer, noting: [.resource(resource)])
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
        case 200, 204: return advance(resource, to: answer, end: nil)
        case 404, 410: return gone(resource)
        case 403 where !hasOffset: return gone(resource)
        case 423: return .failed(Self.locked(answer))
        default: return .failed(AnswerVerdict.failure(answer))
        }
    }

    private mutating func append(
        _ resource: Resource, after answer: Reply.Answer, noting notes: [Step.Note] = []
    ) -> Step {
        let left = item.size - resource.confirmed
        guard left > 0 else { return .done(receipt(resource, answer), notes: notes) }
        let end = resource.confirmed + min(left, max(1, options.chunkSize ?? left))
        let fields: HTTPFields = [
            .tusResumable: "1.0.0", .uploadOffset: "\(resource.confirmed)", .contentType: Self.contentType,
        ]
        phase = .appending(resource, end: end)
        var exchange = Exchange(
            .patch, resource.url, fields: fields, body: .file(range: resource.confirmed..<end),
            isIdempotent: true,
            mayComplete: end == item.size)
        // Some servers forget an upload once it is complete: the next attempt must know that this may be why.
        if end == item.size { exchange.markBeforeLastBytes = resource.withWholeBodySent(true) }
        return .send(exchange, notes: notes)
    }

    private mutating func receiveAppend(_ answer: Reply.Answer, resource: Resource, end: ByteCount) -> Step {
        switch answer.status {
        case 200, 204: return advance(resource, to: answer, end: end)
        case 409, 460:
            // Nothing of it was kept: the bytes on the wire are no reason to think that the upload is complete.
            return tryAgain("the server refuses every offset it names", .server) {
                $0.query(resource, noting: [.resource(resource)])
            }
        case 404, 410: return gone(resource)
        case 423: return .failed(Self.locked(answer))
        default: return .failed(AnswerVerdict.failure(answer))
        }
    }

    /// Goes on from the offset in `answer`, whatever we believed before.
    ///
    /// - Parameter end: How far the request reached that is answered; nil if it sent nothing.
    private mutating func advance(_ resource: Resource, to answer: Reply.Answer, end: ByteCount?) -> Step {
        guard let offset = Self.count(answer.fields[.uploadOffset]) else {
            let asked = end == item.size ? resource.withWholeBodySent(true) : resource
            return tryAgain("the server does not say how much it holds (Upload-Offset)", .permanent) {
                $0.query(asked)
            }
        }
        if offset > end ?? item.size || lengthDiffers(answer) {
            return restart(after: resource, because: "the server's upload does not fit this file")
        }
        var moved = resource.withWholeBodySent(false)
        moved.confirmed = offset
        moved.expires = Self.expiry(in: answer) ?? resource.expires
        var notes: [Step.Note] = [.resource(moved)]
        if offset < resource.confirmed {
            notes.insert(.serverLost(resource.confirmed - offset), at: 0)
            losses += 1
            guard losses < Self.patience else {
                return .failed(UploadFailure(.server, "the server keeps losing what it had"), notes: notes)
            }
        }
        if offset > resource.confirmed { answersWithoutProgress = 0 }
        if end != nil, offset <= resource.confirmed {
            // The server took a request and kept nothing of it: sending the same again would never end.
            return tryAgain("the server accepts bytes and does not keep them", .server, noting: notes) {
                $0.append(moved, after: answer, noting: notes)
            }
        }
        return append(moved, after: answer, noting: notes)
    }

    /// Takes the next step unless answers like this one have come too often in a row.
    private mutating func tryAgain(
        _ reason: String, _ category: UploadFailure.Category, noting notes: [Step.Note] = [],
        _ next: (inout TusUpload) -> Step
    ) -> Step {
        answersWithoutProgress += 1
        guard answersWithoutProgress < Self.patience else {
            return .failed(UploadFailure(category, reason), notes: notes)
        }
        return next(&self)
    }

    private mutating func gone(_ resource: Resource) -> Step {
        if resource.confirmed >= item.size || resource.wholeBodySent {
            return .failed(WholeUpload.unknownOutcome(nil))
        }
        return restart(after: resource, because: "the server no longer knows the upload")
    }

    private mutating func restart(after resource: Resource, because reason: String) -> Step {
        restarts += 1
        guard restarts < 2 else {
            return .failed(UploadFailure(.permanent, "\(reason), twice in a row"), notes: [.resource(nil)])
        }
        let lost: [Step.Note] = resource.confirmed > 0 ? [.serverLost(resource.confirmed)] : []
        // The old address stays on record until there is a new one: a refusal may have been a mistake.
        return create(noting: lost)
    }

    private func lengthDiffers(_ answer: Reply.Answer) -> Bool {
        guard let length = answer.fields[.uploadLength] else { return false }
        return Self.count(length) != item.size
    }

    /// `Content-Location` names what the last answer is about: the finished file, where a server has one.
    private func receipt(_ resource: Resource, _ answer: Reply.Answer) -> Receipt {
        let named = answer.fields[.contentLocation].flatMap {
            try? UploadAddress.resolve($0, against: resource.url)
        }
        return Receipt(location: named ?? resource.url, entityTag: answer.fields[.eTag], bytes: item.size)
    }

    /// A count of bytes as tus writes it: decimal digits and nothing else.
    private static func count(_ field: String?) -> ByteCount? {
        guard let digits = field?.trimmingSpaces, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else {
            return nil
        }
        return ByteCount(digits)
    }

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
