import HTTPTypes

/// A check that lists one blob, to see whether the container exists and the signature in the URL's query is valid.
struct AzureCheck: DestinationCheck {
    private let url: String

    init(url: String) { self.url = url }

    func start() -> CheckStep {
        let parts = UploadAddress.withoutQuery(url).split(separator: "/")
        guard parts.count > 2 else {
            return .failed(
                .permanent, "the address names no container",
                hint: "the url is https://ACCOUNT.blob.core.windows.net/CONTAINER/?SIGNATURE")
        }
        let base = UploadAddress.withQuery(of: url, "\(parts[0])//\(parts[1])/\(parts[2])")
        let list = [("restype", "container"), ("comp", "list"), ("maxresults", "1")]
        return .send(
            Exchange(.get, AddressQuery.adding(list, to: base), fields: [.msVersion: AzureBlob.version]))
    }

    func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        switch (response.status, ServiceFailure(response).code) {
        case (200..<300, _): return .found("the container is there, and the signature may list it")
        case (403, "AuthorizationPermissionMismatch"), (403, "AuthorizationResourceTypeMismatch"):
            return .found("the signature holds and may not list; whether it may write was not tried")
        default: return .failed(ServiceFailure.of(response))
        }
    }
}

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

/// The check of a destination at Microsoft Graph: it requests the root folder of the drive that the URL names.
struct GraphCheck: DestinationCheck {
    private let address: GraphAddress

    init(url: String) { address = GraphAddress(url: url) }

    func start() -> CheckStep {
        if address.isSession { return .found("a session for one file; nothing was asked there") }
        guard let drive = address.drive else {
            return .found("nothing was asked: the address names no drive, and a session would stay")
        }
        return .send(Exchange(.get, drive + "/root"))
    }

    func receive(_ reply: ExchangeOutcome) -> CheckStep {
        switch reply {
        case .broken(let failure, _): .failed(failure)
        case .responded(let response) where response.isSuccess:
            .found("the drive is there, and the token may see it; that it may write was not tried")
        case .responded(let response): .failed(ServiceFailure.of(response))
        }
    }
}
