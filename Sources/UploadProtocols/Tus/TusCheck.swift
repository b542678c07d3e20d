import HTTPTypes

/// The check of a tus destination: it asks for the server's features, and creates an upload of one byte, which it
/// deletes without sending the byte. If the server cannot delete uploads, that stays until it expires.
package struct TusCheck: DestinationCheck {
    private enum Phase: Sendable {
        case asking
        /// `isDeletable` is true if the server lists the extension `termination`, or no extensions at all.
        case creating(CheckReport, isDeletable: Bool)
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

    package mutating func start() -> CheckStep { .send(TusOffer.question(url)) }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        switch (phase, reply) {
        case (.deleting(var report), _):
            if !Self.isGone(reply) { report.findings.append(Self.stays) }
            return .finished(report)
        case (.asking, .broken(let failure, let bodySent)):
            guard bodySent != nil, failure.category.isOfNetwork else { return .failed(failure) }
            return create(["it does not answer OPTIONS: \(failure.summary)"], at: TusOffer.unheard)
        case (.creating, .broken(let failure, _)): return .failed(failure)
        case (.asking, .responded(let response)): return receiveOptions(response)
        case (.creating(let report, let isDeletable), .responded(let response)):
            return receiveCreation(response, report, isDeletable: isDeletable)
        }
    }

    private mutating func receiveOptions(_ response: ExchangeOutcome.Response) -> CheckStep {
        let failure = TusVerdict.failure(response)
        let isRefusal = failure.isTransient || failure.category == .authentication
        if isRefusal, !response.isSuccess, response.status != 500 { return .failed(failure) }
        do throws(UploadFailure) {
            let found = try TusOffer.capabilities(in: response)
            guard found.facts[TusOffer.Fact.saysNothing] == nil else {
                let name = StatusName.of(response.status).map { " (\($0))" } ?? ""
                return create(
                    ["it answered \(response.status)\(name) to OPTIONS and named no tus version"], at: found)
            }
            let namesExtensions = response.fields[.tusExtension] != nil
            return create(
                Self.findings(found, in: response), at: found,
                isDeletable: !namesExtensions || found.extensions.contains("termination"))
        } catch { return .failed(error) }
    }

    private mutating func create(
        _ findings: [String], at found: ServerCapabilities, isDeletable: Bool = true
    ) -> CheckStep {
        do throws(UploadFailure) {
            _ = try TusOffer.sum(options, of: 0, at: found)
            phase = .creating(CheckReport(findings: findings, capabilities: found), isDeletable: isDeletable)
            return .send(try TusCreation(item: item).exchange(.whole))
        } catch { return .failed(error) }
    }

    /// The file for which the check creates an upload. Its only byte is never sent.
    private var item: UploadItem { UploadItem(url: url, name: "ferry-check", size: 1, key: "ferry-check") }

    private mutating func receiveCreation(
        _ response: ExchangeOutcome.Response, _ report: CheckReport, isDeletable: Bool
    ) -> CheckStep {
        let isUnheard = report.capabilities?.facts[TusOffer.Fact.saysNothing] != nil
        guard [200, 201].contains(response.status), response.namesTus || !isUnheard else {
            let failure = TusVerdict.failure(response)
            return .failed(
                isUnheard && failure.category == .permanent ? TusVerdict.isNoTusServer(response) : failure)
        }
        var report = report
        report.findings.append(isUnheard ? "it takes new tus uploads all the same" : "it takes new uploads")
        let made: String
        do throws(UploadFailure) { made = try TusCreation(item: item).url(in: response) } catch {
            return .failed(isUnheard ? TusVerdict.isNoTusServer(response) : error)
        }
        guard isDeletable else {
            report.findings.append(Self.stays)
            return .finished(report)
        }
        phase = .deleting(report)
        return .send(Exchange(.delete, made, fields: [.tusResumable: TusVerdict.version]))
    }

    private static let stays = "the empty upload of this check stays there until it expires"

    private static func isGone(_ reply: ExchangeOutcome) -> Bool {
        guard case .responded(let response) = reply else { return false }
        return response.isSuccess || [404, 410].contains(response.status)
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
