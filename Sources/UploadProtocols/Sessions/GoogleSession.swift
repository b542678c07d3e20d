import Foundation
import HTTPTypes

/// Google's resumable sessions, once there is one: 308 and `Range` tell what is held.
struct GoogleSession: ContentRangeService {
    /// What every request but the last must be a multiple of.
    static let quantum: ByteCount = 256 << 10

    let item: UploadItem
    let options: ProtocolOptions
    var address: GoogleAddress { GoogleAddress(url: item.url) }

    /// All in one request by default: Google keeps what arrived of a request that breaks, and says how much.
    var rangeLimit: ByteCount? {
        options.chunkSize.map { max(Self.quantum, $0 - $0 % Self.quantum) }
    }

    func query(_ session: Resource) -> Exchange {
        var exchange = exchange(session)
        exchange.fields[.contentRange] = ContentRange.asking(of: item.size)
        // Only then may it be complete, and the answer be about the whole file.
        if session.wholeBodySent { exchange.digests = digests(in: nil) }
        return exchange
    }

    /// `Content-Range` always: without it a whole file that breaks off may be taken for complete (seen with
    /// gcp-storage-emulator 2026.7.19).
    func append(_ range: Range<ByteCount>, to session: Resource) -> Exchange {
        var exchange = exchange(session)
        exchange.fields[.contentRange] = ContentRange.sending(range, of: item.size)
        exchange.fields[.contentType] = item.contentType
        exchange.body = .file(range: range)
        if range.upperBound == item.size {
            // With the sum in the last request Cloud Storage refuses a file that differs from it.
            exchange.digests = digests(in: address.isCloudStorage ? .xGoogHash : nil)
        }
        return exchange
    }

    func removal(of session: Resource) -> Exchange {
        var exchange = exchange(session)
        exchange.method = .delete
        return exchange
    }

    func state(of answer: Reply.Answer, hasSent: Bool) -> SessionState {
        switch answer.status {
        case 200, 201: return .complete
        case 308:
            guard let range = answer.fields[.range] else { return .holds(0) }
            guard let held = ContentRange.held(range) else {
                return .unclear(
                    UploadFailure(
                        .server, "the server names a range that cannot be: \(ServerText.cleaned(range))"))
            }
            // What is held is a multiple of 256 KiB; an emulator says one byte where it means none, and bytes that are
            // sent again are ignored.
            return .holds(held == 1 ? 0 : held)
        case 404, 410: return .gone
        case 412: return .failed(ServiceFailure.exists(item.name))
        // A range that does not begin where the server is: something of a broken request came late.
        case 400 where hasSent, 416 where hasSent: return .unclear(ServiceFailure.of(answer))
        default: return .failed(ServiceFailure.of(answer))
        }
    }

    func finish(_ answer: Reply.Answer, of session: Resource) -> Step {
        let object = GoogleObject(answer)
        var receipt = Receipt(
            location: object?.location(for: address), entityTag: object?.tag ?? answer.fields[.eTag],
            bytes: item.size)
        if let bytes = object?.bytes, bytes != item.size {
            return Self.differs("the server has \(bytes) bytes of \(item.size)")
        }
        for told in object?.told ?? [] {
            guard let ours = answer.digests.first(where: { $0.algorithm == told.algorithm }) else { continue }
            guard ours.bytes == told.bytes else {
                return Self.differs("the server's \(told.algorithm.shown) is not that of the file")
            }
            receipt.verified = told.algorithm
        }
        return .done(receipt)
    }

    private func digests(in field: HTTPField.Name?) -> [DigestOrder] {
        guard let algorithm = options.checksum else { return [] }
        let place = field.map { DigestOrder.Place($0, .base64, prefix: "\(algorithm.rawValue)=") }
        return [DigestOrder(algorithm, of: 0..<item.size, in: place)]
    }

    /// A session of Cloud Storage is a permission in itself: its documentation wants no credentials there, and a token
    /// that has run out meanwhile ends nothing. Drive's examples send them with every request.
    private func exchange(_ session: Resource) -> Exchange {
        let isGiven = session.isGiven
        var exchange = Exchange(.put, isGiven ? item.url : session.url, isIdempotent: true)
        exchange.carriesCredentials = !isGiven && !address.isCloudStorage
        return exchange
    }

    private static func differs(_ what: String) -> Step {
        .failed(
            UploadFailure(
                .permanent, "what arrived is not what was sent: \(what)",
                hint: "retry sends all of it again; if it happens again, look at the connection and the disk"),
            notes: [.resource(nil)])
    }
}

extension HTTPField.Name {
    /// Cloud Storage's sums of an object: `md5=BASE64`, `crc32c=BASE64`.
    static let xGoogHash = named("X-Goog-Hash")
    static let xUploadContentType = named("X-Upload-Content-Type")
    static let xUploadContentLength = named("X-Upload-Content-Length")
}

extension Resource {
    private static let givenField = "given"

    /// A session that somebody made and that stands in the destination's address. Its query is a permission, which
    /// stays in the configuration.
    static func given(at url: String) -> Resource {
        Resource(url: UploadAddress.withoutQuery(url), fields: [givenField: "yes"])
    }

    var isGiven: Bool { fields[Self.givenField] != nil }

    /// What ends the upload instead of another session: somebody else has to get one, or it was tried before. Else nil;
    /// the old address stays on record until there is a new one, for a refusal may have been a mistake.
    func end(_ dropped: inout DroppedUploads, because reason: String) -> Step? {
        guard !isGiven else {
            return .failed(
                UploadFailure(
                    .permanent, "the session of the address is over: \(reason)",
                    hint: "ask for a new session and put its address into the destination's url"),
                notes: [.resource(nil)])
        }
        return dropped.drop(self, because: reason)
    }
}
