import HTTPTypes

/// Asks the server by `HEAD`, before the upload, whether a file already exists at the upload's URL. The policy for
/// existing files then decides whether the local file is sent, and under which name.
struct ExistingFile: Sendable {
    /// The next step of the caller: send a `HEAD` request, send the file, or end the upload.
    enum Verdict: Sendable {
        case ask(Exchange)
        /// Send the file under this name, with header fields that make the server refuse a name that is no longer free.
        /// They are empty if the upload may replace a file.
        case free(name: String, precondition: HTTPFields)
        case finished(Receipt)
        case failed(UploadFailure)
    }

    private let policy: ExistingFilePolicy?
    private let address: @Sendable (_ name: String) -> String
    private var choice: ExistingChoice

    /// - Parameter address: Returns the URL on the server for a file name.
    init(
        _ item: UploadItem, policy: ExistingFilePolicy?, begun: ExistingChoice.Begun? = nil,
        address: @escaping @Sendable (_ name: String) -> String
    ) {
        self.policy = policy
        self.address = address
        choice = ExistingChoice(item, policy: policy, begun: begun)
    }

    /// Returns the first step: a `HEAD` request, or to send the file if the policy is `replace` or nil.
    func start() -> Verdict { verdict(choice.start()) }

    mutating func receive(_ response: ExchangeOutcome.Response) -> Verdict {
        switch response.status {
        case 404, 410: verdict(choice.receive(.nothing))
        case 200..<300:
            verdict(choice.receive(.file(FoundFile(headed: response.fields)), ours: response.digests))
        case 405, 501:
            .failed(
                UploadFailure(
                    .permanent, "the server does not say which files it has (HEAD gives \(response.status))",
                    hint: "set ifExists to replace, or leave it out"))
        default: .failed(ResponseClassifier.failure(response))
        }
    }

    private func verdict(_ verdict: ExistingChoice.Verdict) -> Verdict {
        switch verdict {
        case .look(let name, let digests): return .ask(.head(address(name), computing: digests))
        case .free(let name, let replaces):
            // If the lookup found no file, a file that appears after it must not be replaced (RFC 9110 §13.1.2). `skip`
            // is the exception: it replaces different files.
            let isNew = !replaces && policy != .skip
            return .free(name: name, precondition: isNew ? [.ifNoneMatch: "*"] : [:])
        case .finished(let name, var receipt):
            receipt.location = address(name)
            return .finished(receipt)
        case .failed(let failure): return .failed(failure)
        }
    }
}

extension Exchange {
    /// Makes the `HEAD` for a file's size, tag and digests, during which local digests are computed.
    static func head(_ url: String, computing digests: [DigestRequest]) -> Exchange {
        var head = Exchange(.head, url, fields: [.wantReprDigest: "sha-256=10, md5=1"])
        head.digests = digests
        return head
    }
}
