package import FerryProtocols
import Synchronization

/// The secrets of all requests of a `RequestSender`, which cuts them from all texts of servers that it passes on.
package final class KnownSecrets: Sendable {
    private let secrets: Mutex<Secrets>

    init(_ secrets: Secrets = Secrets()) { self.secrets = Mutex(secrets) }

    func add(_ other: Secrets) { secrets.withLock { $0.add(other) } }

    var all: Secrets { secrets.withLock { $0 } }

    /// Returns the text without secrets, and without words that look like credentials.
    func cut(from text: String) -> String {
        Redaction.credentials(cutFrom: all.cut(from: text, atLeast: .longValue))
    }

    /// Returns a short value from the server, such as a URL, without secrets of eight or more characters.
    func cut(fromAddress text: String) -> String {
        all.cut(fromAddress: text)
    }
}

extension KnownSecrets {
    package func cut(from failure: UploadFailure) -> UploadFailure {
        var failure = failure
        failure.summary = cut(from: failure.summary)
        failure.hint = failure.hint.map { cut(from: $0) }
        return failure
    }

    /// Returns the failure without secrets in its texts. Its response stays as the server sent it.
    func cut(from failure: RequestFailure) -> RequestFailure {
        switch failure {
        case .unusable(let failure): .unusable(cut(from: failure))
        case .adaptation(let error): .adaptation(cutting(error))
        case .transport(let error):
            .transport(TransportError(error.reason, cut(from: error.failure), bodySent: error.bodySent))
        case .rejected(let response, let failure): .rejected(response, cut(from: failure))
        case .undecodable(let response, let error): .undecodable(response, cutting(error))
        case .retry(let error, let original): .retry(cutting(error), original: cut(from: original))
        case .cancelled, .sessionClosed: failure
        }
    }

    private func cutting(_ error: any Error) -> any Error {
        guard let failure = error as? UploadFailure else { return error }
        return cut(from: failure)
    }
}
