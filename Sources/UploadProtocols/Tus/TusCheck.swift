import HTTPTypes

/// Asks an address what it offers as a tus server (tus 1.0.0, "OPTIONS"). Leaves nothing there.
public struct TusCheck: DestinationCheck {
    private let url: String

    /// - Parameter url: Of the destination, absolute.
    public init(url: String) { self.url = url }

    public mutating func start() -> CheckStep {
        .send(Exchange(.options, url, fields: [.tusResumable: TusVerdict.version], isIdempotent: true))
    }

    public mutating func receive(_ reply: Reply) -> CheckStep {
        let answer: Reply.Answer
        switch reply {
        case .broken(let failure, _): return .failed(failure)
        case .answered(let received): answer = received
        }
        let failure = TusVerdict.failure(answer)
        let isRefusal = !(200..<300).contains(answer.status)
        if isRefusal, failure.isTransient || failure.category == .authentication { return .failed(failure) }
        do throws(UploadFailure) {
            let found = try TusOffer.capabilities(in: answer)
            return .finished(
                CheckReport(findings: Self.findings(found, in: answer), capabilities: found))
        } catch {
            return .failed(error)
        }
    }

    private static func findings(_ found: ServerCapabilities, in answer: Reply.Answer) -> [String] {
        guard found.facts[TusOffer.Fact.saysNothing] == nil else {
            let name = StatusName.of(answer.status).map { " (\($0))" } ?? ""
            return [
                "nothing says that this is a tus endpoint: it answered \(answer.status)\(name) to OPTIONS and named "
                    + "no tus version; check the destination's url, which often ends in /files/"
            ]
        }
        let versions = answer.fields[.tusVersion] ?? answer.fields[.tusResumable] ?? TusVerdict.version
        var findings = ["it speaks tus \(ServerText.cleaned(versions))"]
        let extensions = found.extensions.sorted().joined(separator: ", ")
        findings.append(
            answer.fields[.tusExtension] == nil
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
