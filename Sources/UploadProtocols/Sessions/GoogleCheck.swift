import HTTPTypes

/// The check of a destination at Google. In Cloud Storage, it requests the metadata of the bucket. A request to another
/// service would leave an unused upload session behind, and one to an existing session could complete that.
struct GoogleCheck: DestinationCheck {
    private let address: GoogleAddress

    init(url: String) { address = GoogleAddress(url: url) }

    func start() -> CheckStep {
        if address.isSession {
            return .found("a session for one file; the session was not asked, as that may complete it")
        }
        guard let bucket = address.bucket else {
            return .found("nothing was asked: a session can only be made, and would stay there")
        }
        return .send(Exchange(.get, bucket))
    }

    func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        switch response.status {
        case 200..<300: return .found("the bucket is there, and the credentials may see it")
        case 403:
            return .found("the credentials may not see the bucket; they may still be allowed to write there")
        default: return .failed(ServiceFailure.of(response))
        }
    }
}
