public import FerryFiles
import FerryProtocols
public import FerryTransfer

/// A type that runs attempts at uploads. `DestinationRunner` sends files; tests of the queue use a scripted runner.
public protocol AttemptRunner: Sendable {
    /// Runs one attempt at `upload`. Returns when the upload is done, the attempt has failed, or the task is cancelled.
    ///
    /// - Parameter recorder: The receiver of the attempt's progress. It also stores the server's state (the upload
    ///   resource) from which a later attempt can resume.
    /// - Returns: The outcome of the attempt, from which the secrets of its requests have been removed.
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome>

    /// Deletes the bytes of an unfinished upload from the server. Errors are not reported, because the queue works
    /// without the deletion.
    func discard(_ upload: Upload) async

    /// Records that the queue no longer needs these uploads. Servers possibly still store bytes of the uploads, which
    /// can be deleted later with the help of the record. Returns at once.
    ///
    /// - Parameter date: The bytes must not be deleted before this date. Until then, a user can undo the removal of the
    ///   uploads, and the uploads can resume.
    func abandon(_ uploads: [Upload], since date: Date)

    /// Deletes the records that `abandon` made of these uploads, because the uploads are in the queue again or are
    /// done. Servers must then keep the bytes of the uploads. Returns at once.
    func reclaim(_ uploads: [Upload])

    /// Returns the host that receives the bytes of an upload. The queue limits the number of running uploads to each
    /// host, and checks whether each host can be reached.
    func host(of upload: Upload) -> UploadHost

    /// Returns whether the protocol of the upload can resume it after a broken connection.
    func resumes(_ upload: Upload) -> Bool

    /// Closes connections that are possibly dead although no error has shown it. The `reason` is that this machine lost
    /// a network address or was asleep.
    func invalidateConnections(because reason: ConnectionInvalidation)

    /// Informs the runner that this machine has lost the network (`isAway` is true) or has it again. Without a network,
    /// no connection over the network times out. When the network is back, the timeouts start from zero.
    func linkChanged(isAway: Bool)
}

extension AttemptRunner {
    /// Does nothing. This default is for runners that have no list of abandoned uploads.
    public func abandon(_ uploads: [Upload], since date: Date) {}
    /// Does nothing. This default is for runners that have no list of abandoned uploads.
    public func reclaim(_ uploads: [Upload]) {}

    /// Does nothing. This default is for runners without connections.
    public func invalidateConnections(because reason: ConnectionInvalidation) {}

    /// Does nothing. This default is for runners without connections.
    public func linkChanged(isAway: Bool) {}
}

/// A server, and the proxy through which it is reached. Uploads with equal `UploadHost` values share a limit on the
/// number of running uploads. They also wait together when the server asks for a pause (`Retry-After`) or cannot be
/// reached.
public struct UploadHost: Hashable, Sendable {
    /// The host's name in lower case; empty if the URL has none. An IPv6 address has no brackets.
    public var name: String
    /// The port; the default port of the scheme if the URL names none.
    public var port: UInt16
    /// True if connections to the host, through its proxy if there is one, need no network. An example is `localhost`.
    public var isLocal: Bool
    /// The proxy for connections to the host; nil for a direct connection.
    public var proxy: ProxyAddress?

    public init(name: String, port: UInt16, isLocal: Bool, proxy: ProxyAddress? = nil) {
        self.name = name
        self.port = port
        self.isLocal = isLocal
        self.proxy = proxy
    }
}
