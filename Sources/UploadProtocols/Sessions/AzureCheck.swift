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
