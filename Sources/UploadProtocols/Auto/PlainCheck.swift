import HTTPTypes

/// A check for protocols without one. It fails without a response, on refused credentials and on temporary problems.
package struct PlainCheck: DestinationCheck {
    private let url: String

    /// - Parameter url: The URL of the destination, which can contain `{name}`.
    package init(url: String) { self.url = url }

    package mutating func start() -> CheckStep {
        .send(Exchange(.options, UploadAddress.filled(url, with: "ferry-check")))
    }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        let failure = ResponseClassifier.failure(response)
        // Any other refusal of OPTIONS does not show that the server refuses uploads.
        if failure.category == .authentication || failure.isTransient { return .failed(failure) }
        let allowed = response.fields[.allow].map { ", and allows \(ServerText.cleaned($0))" }
        return .finished(
            CheckReport(findings: ["the server answers" + (allowed ?? ""), CheckReport.untried]))
    }
}
