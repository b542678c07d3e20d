import HTTPTypes

/// Creates the missing folders above a file: first the innermost one, or if the folder above it is missing, that one.
struct WebDAVFolders: Sendable {
    private let folders: [String]
    private var current = 0
    /// True once one of the folders exists. Then the folders inside it are created, the outermost first.
    private var isDescending = false
    /// The index of the folder whose request was last repeated after status 403.
    private var repeated: Int?

    init?(of address: WebDAVAddress) {
        folders = address.folders
        if folders.isEmpty { return nil }
    }

    func start() -> Step { .send(Exchange(.mkcol, folders[current])) }

    /// Handles the response to the last request. Returns nil once the folder of the file exists.
    mutating func receive(_ response: ExchangeOutcome.Response) -> Step? {
        switch response.status {
        // A 405 means that the folder exists (RFC 4918 §9.3.1).
        case 200..<300, 405:
            guard current > 0 else { return nil }
            isDescending = true
            current -= 1
            return start()
        // chezdav responds 500 if the outer folder is missing.
        case 404, 409, 500:
            guard !isDescending, current + 1 < folders.count else { break }
            current += 1
            return start()
        // Apache responds 403 if another upload creates the same folder at the same moment.
        case 403 where repeated != current:
            repeated = current
            return start()
        default: break
        }
        var failure = WebDAVFailure.failure(response)
        failure.summary = "the folder \(folders[current]) cannot be created: \(failure.summary)"
        return .failed(failure)
    }
}
