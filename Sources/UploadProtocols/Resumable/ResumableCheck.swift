import HTTPTypes

/// The check of a destination with the protocol `resumable`, which asks for the server's limits by `OPTIONS`.
package struct ResumableCheck: DestinationCheck {
    private let target: String

    /// - Parameter url: The URL of the destination.
    package init(url: String, options: ProtocolOptions) { target = UploadAddress.filled(url, with: "") }

    package mutating func start() -> CheckStep { .send(Self.question(target)) }

    package mutating func receive(_ reply: ExchangeOutcome) -> CheckStep {
        guard case .responded(let response) = reply else { return .failed(reply.failure) }
        let failure = ResponseClassifier.failure(response)
        if failure.category == .authentication || failure.isTransient { return .failed(failure) }
        let reported = ResumableResponse(response, version: .eight)
        var found = ServerCapabilities()
        found.note(reported)
        return .finished(
            CheckReport(
                findings: findings(reported) + [CheckReport.untried],
                capabilities: found.facts.isEmpty ? nil : found))
    }

    static func question(_ target: String) -> Exchange {
        Exchange(.options, target, fields: InteropVersion.eight.fields)
    }

    private func findings(_ reported: ResumableResponse) -> [String] {
        guard let limit = reported.limit else {
            if let version = reported.version {
                return ["the server speaks resumable uploads of interop version \(version.rawValue)"]
            }
            return [
                "the server does not say that it takes resumable uploads; older versions need not",
                "the first upload finds out: where the server knows nothing of them, it takes one empty file",
            ]
        }
        var findings = [
            "the server takes resumable uploads; the first upload finds out which interop version"
        ]
        if let size = limit.maximumSize {
            findings.append("a file may have up to \(ByteFormat.sentence(size))")
        }
        if let size = limit.minimumSize, size > 0 {
            findings.append("a file must have at least \(ByteFormat.sentence(size))")
        }
        if let size = limit.maximumAppend {
            findings.append(
                "one request may carry up to \(ByteFormat.sentence(size)); larger files go in chunks")
        }
        if let age = limit.age { findings.append("an unfinished upload is kept for \(Self.duration(age))") }
        return findings
    }

    private static func duration(_ seconds: ByteCount) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
