import HTTPTypes

/// A check whether the server of a `put` destination allows the HTTP method, and whether it describes existing files by
/// `HEAD`.
package struct PutCheck: DestinationCheck {
    private enum Phase: Sendable {
        case options
        case head(findings: [String])
    }

    /// The file name in the URLs of the requests; no file of this name is created.
    private static let name = "ferry-check"

    private let address: String
    private let method: String
    private var phase = Phase.options

    /// - Parameter url: The URL of the destination.
    package init(url: String, options: ProtocolOptions) {
        address = UploadAddress.address(url, for: Self.name)
        method = options.requestMethod(or: .put).rawValue
    }

    package mutating func start() -> CheckStep { .send(Exchange(.options, address)) }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        let failure = ResponseClassifier.failure(response)
        if failure.category == .authentication || failure.isTransient, response.status != 501 {
            return .failed(failure)
        }
        switch phase {
        case .options:
            phase = .head(findings: methods(in: response))
            return .send(Exchange(.head, address))
        case .head(let findings):
            return .finished(CheckReport(findings: findings + [Self.telling(response)]))
        }
    }

    private func methods(in response: ExchangeOutcome.Response) -> [String] {
        let list = FieldList.words(response.fields[.allow]).map { $0.uppercased() }
        var findings: [String] = []
        // For a URL without a file, some servers list fewer methods than they accept.
        if !response.isSuccess || list.isEmpty {
            findings.append("the server does not say which methods it takes")
        } else if list.contains(method) {
            findings.append("the server takes \(method)")
        } else {
            findings.append("\(method) is not among the methods that the server names")
        }
        if response.fields[.dav] != nil, list.isEmpty || list.contains("MOVE") {
            findings.append(
                "it speaks WebDAV: the protocol webdav never leaves half a file under a file's name")
        }
        return findings
    }

    private static func telling(_ response: ExchangeOutcome.Response) -> String {
        switch response.status {
        case 200..<300, 404, 410: "it tells by HEAD what is there, as ifExists and checksum need"
        default: "it does not tell by HEAD what is there (\(response.status)): leave ifExists out"
        }
    }
}
