import FerryProtocols
public import FerryTransfer

/// A type that runs attempts at uploads. `DestinationRunner` sends files; tests of the queue use a scripted runner.
public protocol AttemptRunner: Sendable {
    /// Runs one attempt at `upload`, until it has ended or the task is cancelled.
    ///
    /// - Parameter recorder: The receiver of the progress and of the server's state from which a later attempt resumes.
    /// - Returns: The outcome, without the secrets of its requests.
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome>

    /// Deletes the bytes of an unfinished upload from the server. Errors are not reported.
    func discard(_ upload: Upload) async

    /// Records that the bytes of these uploads can be deleted from their servers from `date` on. Until then, a user can
    /// undo their removal. Returns at once.
    func abandon(_ uploads: [Upload], since date: Date)

    /// Deletes the records that `abandon` made of these uploads, whose bytes servers must now keep. Returns at once.
    func reclaim(_ uploads: [Upload])

    /// Returns the host that receives the bytes of an upload. The queue limits and checks uploads by host.
    func host(of upload: Upload) -> UploadHost

    /// Returns whether the protocol of the upload can resume it after a broken connection.
    func resumes(_ upload: Upload) -> Bool

    /// Closes connections that are possibly dead, because this machine lost an address or was asleep.
    func invalidateConnections(because reason: ConnectionInvalidation)

    /// Tells the runner that this machine has lost the network or has it again. Without a network, no connection over
    /// it times out; afterwards, the timeouts start from zero.
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

/// A server, and the proxy through which it is reached. Uploads with equal values share a limit on running uploads, and
/// wait together for a `Retry-After` or an unreachable host.
public struct UploadHost: Hashable, Sendable {
    /// The host's name in lower case; empty if the URL has none. An IPv6 address has no brackets.
    public var name: String
    /// The port, by default that of the scheme.
    public var port: UInt16
    /// True if connections to the host or its proxy need no network, as with `localhost`.
    public var isLocal: Bool
    /// The proxy for connections to the host; nil for a direct connection.
    public var proxy: ProxyAddress?

    public init(name: String, port: UInt16, isLocal: Bool, proxy: ProxyAddress? = nil) {
        self.name = name
        self.port = port
        self.isLocal = isLocal
        self.proxy = proxy
    }

    /// The name and the port to which a connection is made: those of the proxy if there is one.
    var connection: (name: String, port: UInt16) {
        (proxy?.host ?? name, proxy.flatMap { UInt16(exactly: $0.port) } ?? port)
    }
}
