public import FerryFiles
import FerryProtocols
public import FerryTransfer

/// A type that runs attempts at uploads. `DestinationRunner` sends files; tests of the queue use a scripted runner.
public protocol AttemptRunner: Sendable {
    /// Runs one attempt at `upload`. Returns when the upload is done, the attempt has failed, or the task is cancelled.
    ///
    /// - Parameter recorder: The receiver of progress, and of the state with which the next attempt resumes.
    /// - Returns: The outcome of the attempt, without secrets of its requests.
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome>

    /// Deletes the bytes of an unfinished upload from the server. Errors are not reported: nothing depends on success.
    func discard(_ upload: Upload) async

    /// Records that the queue no longer needs the bytes of these uploads, which servers possibly still store. The bytes
    /// can then be deleted later. Returns at once.
    ///
    /// - Parameter date: The time from which the bytes can be deleted. If a user undoes the removal of an upload
    ///   earlier, the upload resumes.
    func abandon(_ uploads: [Upload], since date: Date)

    /// Removes the records that `abandon` made of these uploads, because they are in the queue again, or done. Their
    /// bytes on servers must not be deleted. Returns at once.
    func reclaim(_ uploads: [Upload])

    /// Returns the host that receives an upload's bytes. The queue limits uploads and checks reachability by host.
    func host(of upload: Upload) -> UploadHost

    /// Returns whether the protocol of the upload can resume it after a broken connection.
    func resumes(_ upload: Upload) -> Bool

    /// Closes the connections that are possibly dead because this machine lost an address or slept.
    func invalidateConnections(because reason: ConnectionInvalidation)

    /// Reports that the network went away or returned. While it is away, no connection over it times out. After its
    /// return, the timeouts start again.
    func linkChanged(isAway: Bool)
}

extension AttemptRunner {
    /// Does nothing: a runner without a list of abandoned uploads cannot delete their bytes later.
    public func abandon(_ uploads: [Upload], since date: Date) {}
    /// Does nothing: a runner without a list of abandoned uploads has recorded none.
    public func reclaim(_ uploads: [Upload]) {}

    /// Does nothing: a runner without connections has none to invalidate.
    public func invalidateConnections(because reason: ConnectionInvalidation) {}

    /// Does nothing: a runner without connections has no timeouts to suspend.
    public func linkChanged(isAway: Bool) {}
}

/// A server and the route to it. Uploads with equal `UploadHost` values share a limit on running uploads, the pauses
/// after `Retry-After` and captive portals, and the probes of an unreachable server.
public struct UploadHost: Hashable, Sendable {
    /// The host's name in lower case; empty if the URL has none. An IPv6 address has no brackets.
    public var name: String
    /// The port; the default port of the scheme if the URL names none.
    public var port: UInt16
    /// True if connections to the host need no network, as with `localhost`.
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
