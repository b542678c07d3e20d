public import FerryFiles
import FerryProtocols
public import FerryTransfer

/// Runs one attempt at an upload. `DestinationRunner` runs real ones; tests of the queue use a scripted one.
public protocol AttemptRunner: Sendable {
    /// Moves `upload` forward until it is done, fails or the task is cancelled.
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> Redacted<UploadAttempt.Outcome>

    /// Deletes the bytes of an unfinished upload from the server. Best effort; nothing depends on it.
    func discard(_ upload: Upload) async

    /// Remembers the bytes that servers store of uploads that leave the queue, until those are deleted. Returns at
    /// once.
    ///
    /// - Parameter date: The time after which the removal cannot be undone.
    func abandon(_ uploads: [Upload], since date: Date)

    /// Forgets abandoned uploads that are in the queue again, or done: their bytes at servers are not abandoned.
    /// Returns at once.
    func reclaim(_ uploads: [Upload])

    /// Returns the host that receives an upload's bytes, for limits and reachability.
    func host(of upload: Upload) -> UploadHost

    /// True if an interrupted upload of this kind can resume.
    func resumes(_ upload: Upload) -> Bool

    /// Closes the connections that may be dead for this reason.
    func invalidateConnections(because reason: ConnectionInvalidation)

    /// Reports that the network went away or returned. Its requests pause meanwhile, and their timeouts count from the
    /// return.
    func linkChanged(isAway: Bool)
}

extension AttemptRunner {
    /// Does nothing: a runner without a store forgets bytes that it could not delete.
    public func abandon(_ uploads: [Upload], since date: Date) {}
    /// Does nothing.
    public func reclaim(_ uploads: [Upload]) {}

    /// Does nothing: a runner without connections has none to invalidate.
    public func invalidateConnections(because reason: ConnectionInvalidation) {}

    /// Does nothing: a runner without connections has none to pause.
    public func linkChanged(isAway: Bool) {}
}

/// A server, as scheduling and reachability see it.
public struct UploadHost: Hashable, Sendable {
    /// The host's name in lower case, without brackets; empty if the URL has none.
    public var name: String
    /// The port; the scheme's default if the URL names none.
    public var port: UInt16
    /// True if the host needs no network.
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
