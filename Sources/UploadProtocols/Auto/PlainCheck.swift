import HTTPTypes

/// Asks whether the server is there and takes the credentials, where a protocol has nothing of its own to ask.
package struct PlainCheck: DestinationCheck {
    private let url: String

    /// - Parameter url: Of the destination, with `{name}` where it has that.
    package init(url: String) { self.url = url }

    package mutating func start() -> CheckStep {
        .send(Exchange(.options, UploadAddress.filled(url, with: "ferry-check")))
    }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        switch reply {
        case .broken(let failure, _): return .failed(failure)
        case .answered(let answer):
            let failure = ResponseClassifier.failure(answer)
            // What else it says to OPTIONS, it may say of OPTIONS alone.
            if failure.category == .authentication || failure.isTransient { return .failed(failure) }
            let allowed = answer.fields[.allow].map { ", and allows \(ServerText.cleaned($0))" }
            return .finished(CheckReport(findings: ["the server answers" + (allowed ?? "")]))
        }
    }
}
