import HTTPTypes

/// Makes the folders that a file's place lacks: the innermost first, and one further out only when the server says that
/// it is missing too.
struct WebDAVFolders: Sendable {
    enum Verdict: Sendable {
        case ask(Exchange)
        case made
        case failed(UploadFailure)
    }

    /// The innermost first.
    private let folders: [String]
    private var current = 0
    /// True once one was made: from there it only goes inwards.
    private var isDescending = false
    /// The folder that was asked for a second time.
    private var repeated: Int?

    /// nil if there is no folder that could be missing.
    init?(of address: WebDAVAddress) {
        folders = address.folders
        if folders.isEmpty { return nil }
    }

    func start() -> Exchange { Exchange(.mkcol, folders[current]) }

    mutating func receive(_ answer: ExchangeOutcome.Response) -> Verdict {
        switch answer.status {
        // 405: it is there (RFC 4918 §9.3.1).
        case 200..<300, 405:
            guard current > 0 else { return .made }
            isDescending = true
            current -= 1
            return .ask(start())
        // chezdav answers 500 where the folder around it is missing.
        case 404, 409, 500:
            guard !isDescending, current + 1 < folders.count else { break }
            current += 1
            return .ask(start())
        // So Apache answers when another upload makes the same folder at the same moment.
        case 403 where repeated != current:
            repeated = current
            return .ask(start())
        default: break
        }
        var failure = WebDAVFailure.failure(answer)
        failure.summary = "the folder \(folders[current]) cannot be created: \(failure.summary)"
        return .failed(failure)
    }
}
