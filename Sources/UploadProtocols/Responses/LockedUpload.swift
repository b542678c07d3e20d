import FerryFiles
import HTTPTypes

/// A response by which an upload server reports that another request uses the upload, or that a connection broke.
///
/// The other request is usually an earlier one of this client, from whose broken connection the server still reads. The
/// server has possibly stored a part of the refused body, so the client asks for the confirmed offset before a retry.
struct LockedUpload: Hashable, Sendable {
    let status: Int
    /// The text that the body must contain; nil if the status alone is enough.
    let text: String?

    /// The responses with which servers report a lock or a broken connection, each with its source.
    ///
    /// Status 409 is not in the list: these servers, and rustus 1.1.4, send it for a wrong offset. aiohttp-tus 1.1.0,
    /// fastapi-tusd 0.100.2 and drf-tus 2.0.3 have no lock that a client notices.
    static let known: [LockedUpload] = [
        // tusd 2.9.2, pkg/handler/unrouted_handler.go, lockUpload: another request waits for the lock.
        .init(status: 400, text: "ERR_UPLOAD_INTERRUPTED"),
        // tusd 2.9.2, pkg/handler/body_reader.go: a proxy lost its connection to the client and ends the request.
        .init(status: 400, text: "ERR_UNEXPECTED_EOF"),
        // tusd 2.9.2, pkg/handler/unrouted_handler.go, ErrFileLocked.
        .init(status: 423, text: nil),
        // tusd 2.9.2, pkg/handler/unrouted_handler.go, ErrLockTimeout, after 20 s.
        .init(status: 500, text: "ERR_LOCK_TIMEOUT"),
        // tusd 2.9.2, pkg/handler/body_reader.go: no bytes came on the connection for too long.
        .init(status: 500, text: "ERR_READ_TIMEOUT"),
        // tusd 2.9.2, pkg/handler/body_reader.go: the connection was reset.
        .init(status: 500, text: "ERR_CONNECTION_RESET"),
        // @tus/server 2.4.3, packages/utils/src/constants.ts, ABORTED.
        .init(status: 400, text: "Request aborted due to lock acquired"),
        // @tus/server 2.4.3, packages/utils/src/constants.ts, ERR_LOCK_TIMEOUT, after 30 s.
        .init(status: 500, text: "failed to acquire lock before timeout"),
        // tuspyserver 4.4.3, request.py and lock.py, LockTimeoutError, after 30 s.
        .init(status: 503, text: "waiting for lock"),
    ]

    /// The wait in seconds before a retry without `Retry-After`, which the queue lengthens after each failed retry.
    static let pause = 0.5

    /// Returns the failure for a response that reports a lock or possibly reports one.
    ///
    /// For a response in `known`, the category is `uploadLocked`, and the queue retries without a limit. For an empty
    /// 400 to `HEAD`, whose cause is unclear (RFC 9110 §9.3.2), it is `server`, with a limit.
    static func failure(_ response: ExchangeOutcome.Response, to method: HTTPRequest.Method) -> UploadFailure?
    {
        let said = ResponseClassifier.failure(response)
        let wait = RetryAfter.seconds(in: response.fields, now: Date()) ?? pause
        if isMeant(by: response) {
            return UploadFailure(
                .uploadLocked, "the server still serves an earlier request for this upload: \(said.summary)",
                status: response.status, retryAfter: wait)
        }
        guard method == .head, response.status == 400, response.body.isEmpty else { return nil }
        return UploadFailure(.server, said.summary, hint: said.hint, status: 400, retryAfter: wait)
    }

    private static func isMeant(by response: ExchangeOutcome.Response) -> Bool {
        let rows = known.filter { $0.status == response.status }
        guard !rows.isEmpty else { return false }
        let text = String(decoding: response.body.prefix(2048), as: UTF8.self)
        return rows.contains { $0.text.map(text.contains) ?? true }
    }
}
