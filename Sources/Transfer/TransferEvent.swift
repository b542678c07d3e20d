public import UploadProtocols

/// What happens to the requests of an upload. Holds no secret: fields are left out and user info and query values of
/// addresses are cut.
public enum TransferEvent: Hashable, Sendable {
    case exchangeStarted(label: String, method: String, url: String, bytes: ByteCount)
    case exchangeAnswered(label: String, status: Int, bytesSent: ByteCount)
    case exchangeBroke(label: String, summary: String, bytesSent: ByteCount)
    /// The request is made again elsewhere on the same server, with its whole body.
    case redirected(label: String, to: String)
    /// The request is made once more on a fresh connection.
    case retriedOnFreshConnection(label: String)
    /// The server holds fewer bytes than it had acknowledged.
    case serverLostBytes(label: String, ByteCount)
}

/// Listens to everything that happens. Called from any thread; it must return quickly.
public protocol EventMonitor: Sendable {
    func receive(_ event: TransferEvent)
}
