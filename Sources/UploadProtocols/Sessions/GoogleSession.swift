import FerryFiles
import HTTPTypes

/// The requests and responses of Google's upload sessions. Status 308 reports the stored bytes in the field `Range`.
struct GoogleSession: ContentRangeService {
    /// The unit of a request's size in bytes. Every request except the last must send a multiple of it.
    static let quantum: ByteCount = 256 << 10

    let item: UploadItem
    let options: ProtocolOptions
    var address: GoogleAddress { GoogleAddress(url: item.url) }

    /// The configured chunk size, rounded down to a multiple of `quantum`. Google keeps the bytes of broken requests.
    var rangeLimit: ByteCount? { options.chunkSize.map { max(Self.quantum, $0 - $0 % Self.quantum) } }

    func query(_ session: UploadResource) -> Exchange {
        var exchange = exchange(session)
        exchange.fields[.contentRange] = ContentRange.asking(of: item.size)
        // The file is then possibly complete, and the response possibly reports its digest.
        if session.wholeBodySent {
            exchange.digests = digests(in: nil)
            takeReported(in: &exchange)
        }
        return exchange
    }

    /// Makes the request that sends these bytes of the file. Without the field `Content-Range`, a server can store a
    /// truncated file as complete after the connection broke (seen with gcp-storage-emulator 2026.7.19).
    func append(_ range: Range<ByteCount>, to session: UploadResource) -> Exchange {
        var exchange = exchange(session)
        exchange.fields[.contentRange] = ContentRange.sending(range, of: item.size)
        exchange.fields[.contentType] = item.contentType
        exchange.body = .file(range: range)
        if range.upperBound == item.size {
            // If the last request contains a checksum, Cloud Storage refuses a file that does not match it.
            exchange.digests = digests(in: address.isCloudStorage ? .xGoogHash : nil)
            takeReported(in: &exchange)
        }
        return exchange
    }

    func removal(of session: UploadResource) -> Exchange {
        var exchange = exchange(session)
        exchange.method = .delete
        return exchange
    }

    func state(of response: ExchangeOutcome.Response, hasSent: Bool) -> SessionState {
        switch response.status {
        case 200, 201: return .complete
        case 308:
            guard let range = response.fields[.range] else { return .holds(0) }
            guard let held = ContentRange.held(range) else {
                return .unclear(
                    UploadFailure(
                        .server, "the server names a range that cannot be: \(ServerText.cleaned(range))"))
            }
            // An emulator reports 1 byte if 0 are stored. The server ignores a byte that is sent again.
            return .holds(held == 1 ? 0 : held)
        case 404, 410: return .gone
        case 412: return .failed(.nameTaken(item.name, instead: "replace or rename"))
        // The range does not begin at the server's offset: bytes of a broken request arrived late.
        case 400 where hasSent, 416 where hasSent: return .unclear(ServiceFailure.of(response))
        default: return .failed(ServiceFailure.of(response))
        }
    }

    func finish(_ response: ExchangeOutcome.Response) -> Step {
        let object = response.decoded(as: GoogleObject.self)
        var receipt = Receipt(
            location: object?.location(for: address), entityTag: object?.tag ?? response.fields[.eTag],
            bytes: item.size)
        if let bytes = object?.bytes, bytes != item.size {
            return Self.differs(UploadFailure.sizesDiffer(bytes, item.size))
        }
        switch FoundFile(reported: object?.reported ?? []).agrees(with: response.digests) {
        case .different(let algorithm):
            return Self.differs("the server's \(algorithm.shown) is not that of the file")
        case .same(let algorithm): receipt.verified = algorithm
        case nil: break
        }
        return .done(receipt)
    }

    /// Lets the CRC32C of the file be compared with that in the response to `exchange`, as Cloud Storage reports it.
    private func takeReported(in exchange: inout Exchange) {
        OfferedDigest.take(
            [.crc32c], in: .googleObject, of: &exchange, size: item.size, options.checksumChoice)
    }

    private func digests(in field: HTTPField.Name?) -> [DigestRequest] {
        guard let algorithm = options.checksum else { return [] }
        let carrier = field.map { DigestRequest.Carrier($0, .base64, prefix: "\(algorithm.rawValue)=") }
        return [DigestRequest(algorithm, of: 0..<item.size, in: carrier)]
    }

    /// Makes a request to the URL of a session, without credentials if the URL grants access, and in Cloud Storage, so
    /// that an expired token does not interrupt the upload. Drive's documentation sends them.
    private func exchange(_ session: UploadResource) -> Exchange {
        let isGiven = session.isGiven
        var exchange = Exchange(.put, isGiven ? item.url : session.url)
        exchange.set(.withoutCredentials, if: isGiven || address.isCloudStorage)
        return exchange
    }

    private static func differs(_ what: String) -> Step {
        .failed(
            .permanent, "what arrived is not what was sent: \(what)",
            hint: "retry sends all of it again; if it happens again, look at the connection and the disk",
            notes: [.resource(nil)])
    }
}

extension HTTPField.Name {
    /// The header field with the checksums of an object in Cloud Storage: `md5=BASE64`, `crc32c=BASE64`.
    static let xGoogHash = named("X-Goog-Hash")
    static let xUploadContentType = named("X-Upload-Content-Type")
    static let xUploadContentLength = named("X-Upload-Content-Length")
}

/// The facts about a cloud service's upload session that are stored on disk for a later attempt.
struct SessionMemory: ResumeForm {
    /// True if the user configured the session's URL as the destination.
    var isGiven = false
    /// The name of the file in the request that created the session; nil for a given one, and for Microsoft Graph.
    var name: String?

    static let keys: ResumeKeys<Self> = [.init("given", \.isGiven), .init("name", \.name)]
}

extension UploadResource {
    /// Returns the resource for a configured session, without the query of its URL, which is a secret.
    static func given(at url: String) -> UploadResource {
        var given = UploadResource(url: UploadAddress.withoutQuery(url))
        given[SessionMemory.self].isGiven = true
        return given
    }

    var isGiven: Bool { self[SessionMemory.self].isGiven }

    /// Handles the loss of the session. Returns the step that ends the upload if the user configured it, or if two were
    /// lost within an hour. If nil, the old URL stays on disk until there is a new one: the loss may be a mistake.
    func end(_ dropped: inout RestartGuard, because reason: String) -> Step? {
        guard !isGiven else {
            return .failed(
                .permanent, "the session of the address is over: \(reason)",
                hint: "ask for a new session and put its address into the destination's url",
                notes: [.resource(nil)])
        }
        return dropped.drop(self, because: reason)
    }
}

extension Double {
    /// The seconds for which Azure keeps an uncommitted block, and Cloud Storage a session: a week.
    static let week = 604_800.0
}
