import HTTPTypes

/// A check of the features of the tus server at a URL (tus 1.0.0, "OPTIONS").
///
/// If there is no response, or one without a tus field, the check creates an upload of one byte, to see whether the
/// server supports tus. The check then deletes the upload without sending the byte. On a server without the termination
/// extension, the empty upload stays until it expires.
package struct TusCheck: DestinationCheck {
    private enum Phase: Sendable {
        case asking
        case creating(findings: [String])
        case deleting(CheckReport)
    }

    private let url: String
    private let options: ProtocolOptions
    private var phase = Phase.asking

    /// - Parameter url: The absolute URL of the destination.
    package init(url: String, options: ProtocolOptions = ProtocolOptions()) {
        self.url = url
        self.options = options
    }

    package mutating func start() -> CheckStep {
        phase = .asking
        return .send(Exchange(.options, url, fields: [.tusResumable: TusVerdict.version]))
    }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        switch (phase, reply) {
        case (.deleting(let report), _): return .finished(report)
        case (.asking, .broken(let failure, let bodySent)):
            guard bodySent != nil, failure.category.isOfNetwork else { return .failed(failure) }
            return create(finding: "it does not answer OPTIONS: \(failure.summary)")
        case (.creating, .broken(let failure, _)): return .failed(failure)
        case (.asking, .responded(let response)): return receiveOptions(response)
        case (.creating(let findings), .responded(let response)): return receiveCreation(response, findings)
        }
    }

    private mutating func receiveOptions(_ response: ExchangeOutcome.Response) -> CheckStep {
        let failure = TusVerdict.failure(response)
        let isRefusal = !response.isSuccess
        if isRefusal, failure.isTransient || failure.category == .authentication, response.status != 500 {
            return .failed(failure)
        }
        do throws(UploadFailure) {
            let found = try TusOffer.capabilities(in: response)
            guard found.facts[TusOffer.Fact.saysNothing] == nil else {
                let name = StatusName.of(response.status).map { " (\($0))" } ?? ""
                return create(
                    finding: "it answered \(response.status)\(name) to OPTIONS and named no tus version")
            }
            _ = try TusOffer.sum(options, of: 0, at: found)
            return .finished(
                CheckReport(findings: Self.findings(found, in: response), capabilities: found))
        } catch {
            return .failed(error)
        }
    }

    private mutating func create(finding: String) -> CheckStep {
        do throws(UploadFailure) {
            _ = try TusOffer.sum(options, of: 0, at: TusOffer.unheard)
            phase = .creating(findings: [finding])
            return .send(try TusCreation(item: item).exchange(.whole))
        } catch {
            return .failed(error)
        }
    }

    /// The item for the creation of an upload. Its byte is never sent.
    private var item: UploadItem { UploadItem(url: url, name: "ferry-check", size: 1, key: "ferry-check") }

    private mutating func receiveCreation(_ response: ExchangeOutcome.Response, _ findings: [String])
        -> CheckStep
    {
        let failure = TusVerdict.failure(response)
        guard [200, 201].contains(response.status), response.namesTus else {
            return .failed(failure.category == .permanent ? TusVerdict.isNoTusServer(response) : failure)
        }
        let report = CheckReport(
            findings: findings + ["it takes new tus uploads all the same"], capabilities: TusOffer.unheard)
        guard let made = try? TusCreation(item: item).url(in: response) else {
            return .failed(TusVerdict.isNoTusServer(response))
        }
        phase = .deleting(report)
        return .send(
            Exchange(.delete, made, fields: [.tusResumable: TusVerdict.version]))
    }

    private static func findings(_ found: ServerCapabilities, in response: ExchangeOutcome.Response)
        -> [String]
    {
        let versions = response.fields[.tusVersion] ?? response.fields[.tusResumable] ?? TusVerdict.version
        var findings = ["it speaks tus \(ServerText.cleaned(versions))"]
        let extensions = found.extensions.sorted().joined(separator: ", ")
        findings.append(
            response.fields[.tusExtension] == nil
                ? "it names no extensions" : "it offers \(ServerText.cleaned(extensions))")
        if let limit = found.maximumSize, limit > 0 {
            findings.append("it takes files of up to \(ByteFormat.sentence(limit))")
        }
        let checksums = TusOffer.checksums(of: found).map(\.algorithm.shown)
        findings.append(
            checksums.isEmpty
                ? "it does not check what arrives"
                : "it can check what arrives by \(checksums.joined(separator: ", "))")
        if found.extensions.contains("concatenation") {
            findings.append("it takes a large file in several parts at once (parallel)")
        }
        return findings
    }
}
