import FerryFiles
import HTTPTypes

/// An existing upload session of Microsoft Graph: `nextExpectedRanges` states the missing bytes.
struct GraphSession: ContentRangeService {
    /// The unit of which every range but the last must be a multiple: 320 KiB.
    static let quantum: ByteCount = 320 << 10
    /// The largest range, below the limit of 60 MiB for one request.
    static let largestRange = (60 << 20) / quantum * quantum - quantum
    /// The usual range, which is small because a broken request is lost completely.
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
        if range.upperBound == item.size { exchange.digests = digests }
        return exchange
    }

    func removal(of session: UploadResource) -> Exchange { exchange(.delete, session) }

    func state(of answer: ExchangeOutcome.Response, hasSent: Bool) -> SessionState {
        switch answer.status {
        case 200, 201, 202:
            let session = GraphSessionResponse(answer)
            if let ranges = session?.nextExpectedRanges, let start = ContentRange.firstExpected(ranges) {
                return .holds(start, expires: session?.expires)
            }
            if hasSent, answer.status != 202, session?.nextExpectedRanges == nil { return .complete }
            return .unclear(
                UploadFailure(.server, "the server does not say what is missing (nextExpectedRanges)"))
        // No credentials are sent there: the refusal means that the session has expired.
        case 401, 404, 410: return .gone
        case 409 where ServiceFailure(answer).code == "nameAlreadyExists":
            return .failed(.nameTaken(item.name, instead: "replace or rename"))
        case 416: return .unclear(ServiceFailure.of(answer))
        default: return .failed(ServiceFailure.of(answer))
        }
    }

    func finish(_ answer: ExchangeOutcome.Response, of session: UploadResource) -> Step { finish(answer) }

    /// Returns the step that ends an upload in one request or in many.
    func finish(_ answer: ExchangeOutcome.Response) -> Step {
        let file = GraphItem(answer)
        var receipt = Receipt(
            location: file?.webUrl.flatMap { UploadAddress.absolute($0, against: item.url)?.absoluteString },
            entityTag: file?.eTag.map(ServerText.cleaned) ?? answer.fields[.eTag], bytes: item.size)
        for told in file?.told ?? [] {
            guard let ours = answer.digests.first(where: { $0.algorithm == told.algorithm }) else { continue }
            guard ours.bytes == told.bytes else {
                return .failed(
                    .permanent, "the server's \(told.algorithm.shown) is not that of the file",
                    hint:
                        "SharePoint changes documents when it takes them: leave checksum out for those; "
                        + "for any other file, retry sends all of it again",
                    notes: [.resource(nil)])
            }
            receipt.verified = told.algorithm
        }
        return .done(receipt)
    }

    /// The digests of the whole file, for the final comparison with the drive's.
    var digests: [DigestRequest] { options.checksum.map { [DigestRequest($0, of: 0..<item.size)] } ?? [] }

    /// Makes a request. The URL is a permission in itself, on a host of the server's choice; with `Authorization` it
    /// may respond 401.
    private func exchange(_ method: HTTPRequest.Method, _ session: UploadResource) -> Exchange {
        Exchange(
            method, session.isGiven ? item.url : session.url, traits: [.idempotent, .withoutCredentials])
    }
}
