import HTTPTypes

/// A check of a destination with the protocol `put`. It asks whether the server allows the configured HTTP method, and
/// whether it describes existing files in responses to `HEAD`. It fails if the server's list of methods lacks the
/// configured one, but not without `OPTIONS` or `HEAD`, because uploads are still possible.
package struct PutCheck: DestinationCheck {
    private enum Phase: Sendable {
        case options
        case head(findings: [String], isAllowed: Bool)
    }

    private enum Verdict: Hashable, Sendable {
        case allowed
        case missing(UploadFailure)
        case unknown
    }

    /// The file name in the URLs of the requests; no file of this name is created.
    private static let name = "ferry-check"

    private let address: String
    private let method: String
    /// True if the signature of a presigned URL does not cover this check, so that a list of methods proves nothing.
    private let isSigned: Bool
    private var phase = Phase.options

    /// - Parameter options: The options of the destination, of which only `method` is used.
    package init(url: String, options: ProtocolOptions) {
        address = UploadAddress.address(url, for: Self.name)
        method = options.requestMethod(or: .put).rawValue
        isSigned = ProtocolChoice.named(by: url)?.name == PutUpload.name
    }

    package mutating func start() -> CheckStep { .send(Exchange(.options, address)) }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        let failure = ResponseClassifier.failure(response)
        if failure.category == .authentication || failure.isTransient, response.status != 501 {
            return .failed(failure)
        }
        let verdict = verdict(on: response)
        switch (phase, verdict) {
        case (.options, .missing(let failure)), (.head(_, isAllowed: false), .missing(let failure)):
            return .failed(failure)
        case (.options, _):
            phase = .head(findings: findings(response, verdict), isAllowed: verdict == .allowed)
            return .send(Exchange(.head, address))
        case (.head(let findings, _), _):
            return .finished(CheckReport(findings: findings + [Self.telling(response)]))
        }
    }

    private func verdict(on response: ExchangeOutcome.Response) -> Verdict {
        let list = response.allowedMethods
        // A 405 lists the methods too (RFC 9110 §15.5.6).
        guard response.isSuccess || response.status == 405, !list.isEmpty else { return .unknown }
        if list.contains(method) { return .allowed }
        if isSigned { return .unknown }
        let names = ServerText.cleaned(list.joined(separator: ", "))
        return .missing(
            UploadFailure(
                .permanent, "\(method) is not among the methods that the server names: \(names)",
                hint: "check the destination's url and protocol"))
    }

    private func findings(_ response: ExchangeOutcome.Response, _ verdict: Verdict) -> [String] {
        let list = response.allowedMethods
        var findings = [
            verdict == .allowed
                ? "the server takes \(method)"
                : "the server does not say which methods it takes; that it takes \(method) was not tried"
        ]
        if response.fields[.dav] != nil, list.isEmpty || list.contains("MOVE") {
            findings.append(
                "it speaks WebDAV: the protocol webdav never leaves half a file under a file's name")
        }
        return findings
    }

    private static func telling(_ response: ExchangeOutcome.Response) -> String {
        switch response.status {
        case 200..<300, 404, 410: "HEAD shows which files it has, as ifExists and checksum need"
        default: "HEAD does not show which files it has (\(response.status)): leave ifExists out"
        }
    }
}
