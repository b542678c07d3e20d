import FerryProtocols

/// A value without the secrets of the requests that it comes from.
///
/// The queue and its files receive the texts of servers only as `Redacted` values. Only code in this file creates such
/// a value, after it has removed the secrets.
public struct Redacted<Value: Sendable>: Sendable {
    /// The value without secrets.
    public let value: Value

    fileprivate init(unchecked value: Value) { self.value = value }

    /// Returns the value that `transform` makes from this value. `transform` is allowed to drop parts and to add texts
    /// of this program. It must not add a text of a server.
    package func map<Other>(_ transform: (Value) -> Other) -> Redacted<Other> {
        Redacted<Other>(unchecked: transform(value))
    }
}

extension Redacted<UploadAttempt.Outcome> {
    /// Removes `secrets`, and texts that have the form of credentials, from the outcome of an attempt.
    public init(_ outcome: UploadAttempt.Outcome, without secrets: [String] = []) {
        self = KnownSecrets(Secrets(secrets)).redact(outcome)
    }
}

extension KnownSecrets {
    func redact(_ outcome: UploadAttempt.Outcome) -> Redacted<UploadAttempt.Outcome> {
        switch outcome {
        case .done(let receipt): Redacted(unchecked: .done(cut(from: receipt)))
        case .failed(let failure): Redacted(unchecked: .failed(cut(from: failure)))
        case .cancelled: Redacted(unchecked: .cancelled)
        }
    }

    private func cut(from receipt: Receipt) -> Receipt {
        var receipt = receipt
        receipt.location = receipt.location.map { cut(fromAddress: $0) }
        receipt.entityTag = receipt.entityTag.map { cut(fromAddress: $0) }
        return receipt
    }

    func redact(_ capabilities: ServerCapabilities) -> Redacted<ServerCapabilities> {
        var capabilities = capabilities
        capabilities.extensions = Set(capabilities.extensions.map { cut(fromAddress: $0) })
        capabilities.facts = capabilities.facts.mapValues { cut(fromAddress: $0) }
        return Redacted(unchecked: capabilities)
    }

    func redact(_ report: CheckReport) -> Redacted<CheckReport> {
        var report = report
        report.findings = report.findings.map { cut(from: $0) }
        report.capabilities = report.capabilities.map { redact($0).value }
        return Redacted(unchecked: report)
    }

    /// - Parameter software: The value of the header field `Server`; nil if there is none.
    func redact(software: String?) -> Redacted<String?> {
        Redacted(unchecked: software.map { cut(fromAddress: $0) })
    }
}
