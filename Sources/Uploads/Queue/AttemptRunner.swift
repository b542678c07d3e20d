public import FerryFiles
import FerryProtocols
public import FerryTransfer

/// A type that runs attempts at uploads. `DestinationRunner` runs real ones; tests of the queue use a scripted one.
public protocol AttemptRunner: Sendable {
    /// Runs one attempt at `upload`, until the upload is done, fails or the task is cancelled.
    ///
    /// - Parameter recorder: The receiver of progress, and of the state with which the next attempt resumes.
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome>

    /// Deletes the bytes of an unfinished upload from the server. Errors are not reported: nothing depends on success.
    func discard(_ upload: Upload) async

    /// Remembers uploads that leave the queue while servers may store bytes of them, so that these can be deleted
    /// later. Returns at once.
    ///
    /// - Parameter date: The time from which the bytes may be deleted. Until then, the user may put the uploads back.
    func abandon(_ uploads: [Upload], since date: Date)

    /// Forgets uploads that `abandon` remembered, because they are in the queue again, or done. Their bytes on servers
    /// must not be deleted. Returns at once.
    func reclaim(_ uploads: [Upload])

    /// Returns the host that receives an upload's bytes, for limits and reachability.
    func host(of upload: Upload) -> UploadHost

    /// Returns whether the protocol of the upload can resume it after a break.
    func resumes(_ upload: Upload) -> Bool

    /// Closes the connections that may be dead for this reason.
    func invalidateConnections(because reason: ConnectionInvalidation)

    /// Reports that the network went away or returned. While it is away, the runner's requests pause. Their timeouts
    /// then count from its return.
    func linkChanged(isAway: Bool)
}

extension AttemptRunner {
    /// Does nothing: a runner without a store forgets bytes that it could not delete.
    public func abandon(_ uploads: [Upload], since date: Date) {}
    /// Does nothing: a runner without a store remembers no uploads.
    public func reclaim(_ uploads: [Upload]) {}

    /// Does nothing: a runner without connections has none to invalidate.
    public func invalidateConnections(because reason: ConnectionInvalidation) {}

    /// Does nothing: a runner without connections has none to pause.
    public func linkChanged(isAway: Bool) {}
}

/// A server and the route to it. Uploads with equal values share its limit, pauses and probes.
public struct UploadHost: Hashable, Sendable {
    /// The host's name in lower case, without brackets; empty if the URL has none.
    public var name: String
    /// The port; the scheme's default if the URL names none.
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
