import FerryFiles
import HTTPTypes

/// The requests and responses of Graph's upload sessions. `nextExpectedRanges` lists the missing ranges of the file.
struct GraphSession: ContentRangeService {
    /// The unit of a range's size in bytes. The size of every range except the last must be a multiple of it.
    static let quantum: ByteCount = 320 << 10
    /// The maximum size of a range in bytes, below the service's limit of 60 MiB for one request.
    static let largestRange = (60 << 20) / quantum * quantum - quantum
    /// The default size of a range in bytes. It is small, because a broken connection loses the range in transit.
    static let usualRange = 32 * quantum

    let item: UploadItem
    let options: ProtocolOptions

    var rangeLimit: ByteCount? {
        guard let size = options.chunkSize else { return Self.usualRange }
        return min(Self.largestRange, max(Self.quantum, size - size % Self.quantum))
    }

    func query(_ session: UploadResource) -> Exchange { exchange(.get, session) }

    func append(_ range: Range<ByteCount>, to session: UploadResource) -> Exchange {
        var exchange = exchange(.put, session)
        exchange.fields[.contentRange] = ContentRange.sending(range, of: item.size)
        exchange.body = .file(range: range)
        if range.upperBound == item.size { addDigests(to: &exchange) }
        return exchange
    }

    func removal(of session: UploadResource) -> Exchange { exchange(.delete, session) }

    func state(of response: ExchangeOutcome.Response, hasSent: Bool) -> SessionState {
        switch response.status {
        case 200, 201, 202:
            let session = response.decoded(as: GraphSessionResponse.self)
            if let ranges = session?.nextExpectedRanges, let start = ContentRange.firstExpected(ranges) {
                return .holds(start, expires: session?.expires)
            }
            if hasSent, response.status != 202, session?.nextExpectedRanges == nil { return .complete }
            return .unclear(
                UploadFailure(.server, "the server does not say what is missing (nextExpectedRanges)"))
        // Requests to the session's URL have no credentials, so 401 means that the session has expired.
        case 401, 404, 410: return .gone
        case 409 where ServiceFailure(response).code == "nameAlreadyExists":
            return .failed(.nameTaken(item.name, instead: "replace or rename"))
        case 416: return .unclear(ServiceFailure.of(response))
        default: return .failed(ServiceFailure.of(response))
        }
    }

    func finish(_ response: ExchangeOutcome.Response) -> Step {
        let file = response.decoded(as: GraphItem.self)
        var receipt = Receipt(
            location: file?.webUrl.flatMap { UploadAddress.absolute($0, against: item.url)?.absoluteString },
            entityTag: file?.eTag.map(ServerText.cleaned) ?? response.fields[.eTag], bytes: item.size)
        // SharePoint may add bytes to a document. So only a smaller size is an error.
        if let stored = file?.size, stored < item.size {
            return .failed(
                .permanent, UploadFailure.sizesDiffer(stored, item.size),
                hint: "retry sends all of it again", notes: [.resource(nil)])
        }
        for reported in file?.reported ?? [] {
            guard let ours = response.digest(reported.algorithm) else { continue }
            guard ours == reported.bytes else {
                return .failed(
                    .permanent, "the server's \(reported.algorithm.shown) is not that of the file",
                    hint:
                        "SharePoint changes documents when it takes them: set checksum to none for those; "
                        + "for any other file, retry sends all of it again",
                    notes: [.resource(nil)])
            }
            receipt.verified = reported.algorithm
        }
        return .done(receipt)
    }

    /// Sets the digests that are computed with `exchange`, to compare them with those that Graph reports.
    func addDigests(to exchange: inout Exchange) {
        exchange.digests = options.checksum.map { [DigestRequest($0, of: 0..<item.size)] } ?? []
        OfferedDigest.take(
            [.sha256, .sha1], in: .graphItem, of: &exchange, size: item.size, options.checksumChoice)
    }

    /// Makes a request without credentials, because the session's URL grants access, and its host can refuse them.
    private func exchange(_ method: HTTPRequest.Method, _ session: UploadResource) -> Exchange {
        Exchange(
            method, session.isGiven ? item.url : session.url, traits: [.idempotent, .withoutCredentials])
    }
}
