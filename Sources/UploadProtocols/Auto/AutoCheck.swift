import HTTPTypes

/// The check for the protocol `auto`: finds out the server's protocol, and runs its check.
package struct AutoCheck: DestinationCheck {
    private enum Phase: Sendable {
        case asking
        case checking(any DestinationCheck, ProtocolChoice)
    }

    private let url: String
    private let options: ProtocolOptions
    private let catalog: [ProtocolCatalog.Entry]
    private var phase = Phase.asking

    /// - Parameter catalog: The protocols from which the check chooses.
    package init(
        url: String, options: ProtocolOptions, catalog: [ProtocolCatalog.Entry] = ProtocolCatalog.entries
    ) {
        self.url = url
        self.options = options
        self.catalog = catalog
    }

    package mutating func start() -> CheckStep {
        if let choice = ProtocolChoice.named(by: url) { return check(choice, wasAsked: false) }
        phase = .asking
        return .send(AutoProbe.exchange(at: UploadAddress.filled(url, with: "ferry-check")))
    }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        switch phase {
        case .asking:
            do throws(UploadFailure) {
                return check(
                    try AutoProbe.choice(
                        reply, at: url, isGivenAddress: options.isGivenAddress, in: catalog), wasAsked: true)
            } catch {
                return .failed(error)
            }
        case .checking(var inner, let choice):
            let step = inner.receive(reply)
            phase = .checking(inner, choice)
            return finish(step, choice)
        }
    }

    private mutating func check(_ choice: ProtocolChoice, wasAsked: Bool) -> CheckStep {
        do throws(UploadFailure) {
            let (entry, options) = try AutoProbe.use(choice, options, catalog)
            // Without a check of the protocol and a request before, `PlainCheck` tests whether the server responds.
            guard var inner = entry.check(url, options) ?? (wasAsked ? nil : PlainCheck(url: url)) else {
                return .finished(CheckReport(capabilities: ServerCapabilities(facts: choice.added(to: [:]))))
            }
            let step = inner.start()
            phase = .checking(inner, choice)
            return finish(step, choice)
        } catch {
            return .failed(error)
        }
    }

    private func finish(_ step: CheckStep, _ choice: ProtocolChoice) -> CheckStep {
        guard case .finished(var report) = step else { return step }
        report.capabilities =
            report.capabilities?.stamped(choice) ?? ServerCapabilities(facts: choice.added(to: [:]))
        report.leftovers = report.leftovers.map { leftover in
            var leftover = leftover
            leftover.resource = leftover.resource.stamped(choice)
            return leftover
        }
        return .finished(report)
    }
}

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
