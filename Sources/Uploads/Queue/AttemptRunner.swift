public import FerryFiles
import FerryProtocols
public import FerryTransfer

/// Runs one attempt at an upload. `DestinationRunner` is the real one; tests of the queue use a scripted one.
public protocol AttemptRunner: Sendable {
    /// Moves `upload` forward until it is done, fails or the task is cancelled.
    func run(_ upload: Upload, recorder: any AttemptRecorder) async -> UploadAttempt.Outcome

    /// Deletes what the server holds of an unfinished upload. Best effort; nothing depends on it.
    func discard(_ upload: Upload) async

    /// Remembers what servers hold of uploads that the queue lets go of, until that is deleted. Returns at once.
    ///
    /// - Parameter date: From when on nobody can put them back.
    func abandon(_ uploads: [Upload], since date: Date)

    /// Takes back uploads that are in the queue again, or done: their bytes at servers are not abandoned. Returns at
    /// once.
    func reclaim(_ uploads: [Upload])

    /// The host that an upload's bytes go to, for limits and reachability.
    func host(of upload: Upload) -> UploadHost

    /// True if an interrupted upload of this kind goes on where it was.
    func resumes(_ upload: Upload) -> Bool

    /// Gives up the connections that may be dead for this reason.
    func invalidateConnections(because reason: ConnectionInvalidation)

    /// The network went away or returned. What is under way over it stands still meanwhile, and its time counts from
    /// the return.
    func linkChanged(isAway: Bool)
}

extension AttemptRunner {
    /// Does nothing: a runner without a memory forgets what it could not delete.
    public func abandon(_ uploads: [Upload], since date: Date) {}
    /// Does nothing.
    public func reclaim(_ uploads: [Upload]) {}

    /// Does nothing: a runner without connections has none to doubt.
    public func invalidateConnections(because reason: ConnectionInvalidation) {}

    /// Does nothing: a runner without connections has none that stand still.
    public func linkChanged(isAway: Bool) {}
}

/// A server, as far as scheduling and reachability go.
public struct UploadHost: Hashable, Sendable {
    /// The host's name in lower case, without brackets; empty if the address has none.
    public var name: String
    /// The scheme's where the address names none.
    public var port: UInt16
    /// True if no network is needed to get there.
    public var isLocal: Bool
    /// The proxy on the way there; nil for a direct connection.
    public var proxy: ProxyAddress?

    public init(name: String, port: UInt16, isLocal: Bool, proxy: ProxyAddress? = nil) {
        self.name = name
        self.port = port
        self.isLocal = isLocal
        self.proxy = proxy
    }
}
