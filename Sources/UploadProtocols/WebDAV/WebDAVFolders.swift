import HTTPTypes

/// Creates the missing folders of a file. The innermost folder is tried first. An outer folder is created only if the
/// server reports that it is missing.
struct WebDAVFolders: Sendable {
    enum Verdict: Sendable {
        case ask(Exchange)
        case made
        case failed(UploadFailure)
    }

    /// The URLs of the folders, the innermost first.
    private let folders: [String]
    private var current = 0
    /// True once the server has created one of the folders, or reported that it exists. From then on, the folders
    /// inside that one are created, from the outside in.
    private var isDescending = false
    /// The index of the folder whose request was repeated; nil before the first repetition.
    private var repeated: Int?

    /// Prepares the creation of the folders above `address`; nil if only the root is above it, which always exists.
    init?(of address: WebDAVAddress) {
        folders = address.folders
        if folders.isEmpty { return nil }
    }

    func start() -> Exchange { Exchange(.mkcol, folders[current]) }

    mutating func receive(_ response: ExchangeOutcome.Response) -> Verdict {
        switch response.status {
        // A 405 means that the folder exists (RFC 4918 §9.3.1).
        case 200..<300, 405:
            guard current > 0 else { return .made }
            isDescending = true
            current -= 1
            return .ask(start())
        // chezdav responds 500 if the outer folder is missing.
        case 404, 409, 500:
            guard !isDescending, current + 1 < folders.count else { break }
            current += 1
            return .ask(start())
        // Apache responds 403 if another upload creates the same folder at the same moment.
        case 403 where repeated != current:
            repeated = current
            return .ask(start())
        default: break
        }
        var failure = WebDAVFailure.failure(response)
        failure.summary = "the folder \(folders[current]) cannot be created: \(failure.summary)"
        return .failed(failure)
    }
}
