public import HTTPTypes

/// Finds out by `HEAD` what is at a file's place before anything is sent there, and decides as the policy says.
public struct ExistingFile: Sendable {
    /// What to do next.
    public enum Verdict: Sendable {
        case ask(Exchange)
        /// Nothing is in the way of a file of this name; `precondition` has the server refuse if that has changed.
        case free(name: String, precondition: HTTPFields)
        case finished(Receipt)
        case failed(UploadFailure)
    }

    private enum Phase: Sendable {
        case asking(name: String, number: Int)
        case comparing
    }

    /// More files of one name are more likely a mistake than a wish.
    static let nameLimit = 100

    private let item: UploadItem
    private let policy: ExistingFilePolicy?
    private let address: @Sendable (_ name: String) -> String
    private var phase: Phase

    /// - Parameter address: Where a file of that name would be.
    public init(
        _ item: UploadItem, policy: ExistingFilePolicy?,
        address: @escaping @Sendable (_ name: String) -> String
    ) {
        self.item = item
        self.policy = policy
        self.address = address
        phase = .asking(name: item.name, number: 1)
    }

    /// Asks nothing where nothing that was there matters.
    public func start() -> Verdict {
        switch policy {
        case nil, .replace: .free(name: item.name, precondition: [:])
        case .skip, .rename, .fail: .ask(head(item.name))
        }
    }

    /// Takes the answer to what was asked last.
    public mutating func receive(_ answer: Reply.Answer) -> Verdict {
        switch phase {
        case .comparing: return compared(answer)
        case .asking(let name, let number):
            switch answer.status {
            case 404, 410: return .free(name: name, precondition: policy == .skip ? [:] : Self.onlyNew)
            case 200..<300: return taken(answer, name: name, number: number)
            case 405, 501:
                return .failed(
                    UploadFailure(
                        .permanent, "the server does not tell what is there (HEAD gives \(answer.status))",
                        hint: "set ifExists to replace, or leave it out"))
            default: return .failed(AnswerVerdict.failure(answer))
            }
        }
    }

    private mutating func taken(_ answer: Reply.Answer, name: String, number: Int) -> Verdict {
        switch policy {
        case .fail:
            return .failed(
                UploadFailure(
                    .permanent, "\(name) is already at the server",
                    hint: "set ifExists to skip, replace or rename, or remove the upload", status: 412))
        case .rename:
            guard number < Self.nameLimit else {
                return .failed(
                    UploadFailure(
                        .permanent, "\(item.name) and \(Self.nameLimit - 1) more like it are at the server",
                        hint: "give the file another name with --as"))
            }
            let next = FileName.numbered(item.name, number + 1)
            phase = .asking(name: next, number: number + 1)
            return .ask(head(next))
        case .skip, .replace, nil: return judge(answer)
        }
    }

    private mutating func judge(_ answer: Reply.Answer) -> Verdict {
        guard let length = answer.fields[.contentLength].flatMap({ ByteCount($0) }), length == item.size
        else {
            return .free(name: item.name, precondition: [:])
        }
        guard let told = ToldDigest.in(answer.fields).first else { return .finished(receipt(answer, nil)) }
        phase = .comparing
        var again = head(item.name)
        again.digests = [DigestOrder(told.algorithm, of: 0..<item.size)]
        return .ask(again)
    }

    private func compared(_ answer: Reply.Answer) -> Verdict {
        let isSame = ToldDigest.in(answer.fields).contains { told in
            answer.digests.contains { $0.algorithm == told.algorithm && $0.bytes == told.bytes }
        }
        guard (200..<300).contains(answer.status), isSame, let ours = answer.digests.first else {
            return .free(name: item.name, precondition: [:])
        }
        return .finished(receipt(answer, ours.algorithm))
    }

    private func receipt(_ answer: Reply.Answer, _ verified: DigestAlgorithm?) -> Receipt {
        Receipt(
            location: address(item.name), entityTag: answer.fields[.eTag], bytes: item.size,
            verified: verified, wasThere: true)
    }

    private func head(_ name: String) -> Exchange {
        Exchange(.head, address(name), fields: [.wantReprDigest: "sha-256=10, md5=1"], isIdempotent: true)
    }

    /// RFC 9110 §13.1.2.
    private static let onlyNew: HTTPFields = [.ifNoneMatch: "*"]
}

/// Names of files.
public enum FileName {
    /// `name (2).ext`; folders before the name stay.
    public static func numbered(_ name: String, _ number: Int) -> String {
        let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        let last = name[start...]
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return "\(name) (\(number))" }
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }
}
