public import FerryProtocols

/// A value without the secrets of the requests that it comes from.
///
/// The queue and its files receive values from servers only in this form. Only this file creates such a value.
public struct Redacted<Value: Sendable>: Sendable {
    /// The value without secrets.
    public let value: Value

    fileprivate init(unchecked value: Value) { self.value = value }

    /// Returns the value that `transform` makes from this value. It must not add a text of a server.
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

extension Redacted<UploadResource> {
    /// Removes facts that repeat one of the `secrets`. Returns nil if the URL repeats one.
    public init?(_ resource: UploadResource, without secrets: [String] = []) {
        guard let redacted = KnownSecrets(Secrets(secrets)).redact(resource) else { return nil }
        self = redacted
    }
}

extension KnownSecrets {
    /// Returns the resource without facts that repeat a credential, such as an entity tag; nil if its URL repeats one,
    /// because the upload could not resume at a URL without it.
    ///
    /// - Parameter plain: Texts that are stored in any case. A credential that occurs in them does not count.
    func redact(_ resource: UploadResource, besides plain: [String] = []) -> Redacted<UploadResource>? {
        let secrets = all
        guard !secrets.repeatsCredential(resource.url, besides: plain) else { return nil }
        var resource = resource
        resource.memory.members = resource.memory.members.filter {
            !secrets.repeatsCredential($0.value, besides: plain)
        }
        return Redacted(unchecked: resource)
    }

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
        // A leftover's resource stays as it is: its deletion needs it, and it is neither shown nor stored.
        for index in report.leftovers.indices {
            let name = report.leftovers[index].name
            report.leftovers[index].name = cut(fromAddress: ServerText.cleaned(name))
        }
        return Redacted(unchecked: report)
    }

    func redact(software: String?) -> Redacted<String?> {
        Redacted(unchecked: software.map { cut(fromAddress: $0) })
    }
}
