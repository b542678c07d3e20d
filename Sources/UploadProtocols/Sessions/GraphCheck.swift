import HTTPTypes

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
