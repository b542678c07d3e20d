public import FerryProtocols
public import FerryTransfer
import Synchronization

/// A store of the capabilities that servers report, such as the maximum size of an upload, so that not every upload
/// must request them. If capabilities are missing, an upload requests them from the server.
public protocol CapabilityStore: Sendable {
    /// Returns the capabilities that are stored under a key, even if they are old. Nil if none are stored.
    func capabilities(of place: CapabilityKey) -> ServerCapabilities?
    /// Replaces the capabilities under a key. Their member `asked` must be the time when the server reported them.
    func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey)
}

/// The key under which a server's capabilities are stored: the destination's name, the URL and the protocol.
public struct CapabilityKey: Hashable, Codable, Sendable {
    /// The destination's name in the configuration; empty if the user gave a URL instead of a name.
    public let destination: String
    /// The URL without its query, because the query is possibly a secret.
    public let url: String
    /// The name of the protocol. The capabilities for one protocol are useless to another.
    public let protocolName: String

    /// - Parameter url: The URL; its query is removed.
    public init(destination: String, url: String, protocolName: String) {
        self.destination = destination
        self.url = UploadAddress.withoutQuery(url)
        self.protocolName = protocolName
    }

    init(_ destination: Destination) {
        self.init(destination: destination.name, url: destination.url, protocolName: destination.protocolName)
    }

    init(_ target: Upload.Target) {
        self.init(destination: target.destination, url: target.url, protocolName: target.protocolName)
    }

    /// Creates the key, equal for all protocols, of the names in the server's header field `Server`. They show whether
    /// a later response comes from the server or from a captive portal.
    init(ofServer target: Upload.Target) {
        self.init(destination: target.destination, url: target.url, protocolName: "server")
    }
}

extension CapabilityStore {
    /// Records that a response came from the server itself. `software` is the value of its header field `Server`.
    func recognize(_ software: Redacted<String?>, at place: CapabilityKey, now: Date) {
        let known = capabilities(of: place)
        var found = known ?? ServerCapabilities()
        // Several servers may respond at one URL. At the limit all names are dropped: some may be years old.
        if let name = software.value.map({ String($0.prefix(200)) }) {
            if found.facts.count >= 8, found.facts[name] == nil { found.facts = [:] }
            found.facts[name] = "software"
        }
        if found != known { keep(software.map { _ in found }, of: place, at: now) }
    }

    func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey, at now: Date) {
        let dated = capabilities.map { found in
            var found = found
            found.asked = now
            return found
        }
        keep(dated, of: place)
    }
}

extension ServerCapabilities {
    /// The number of seconds for which stored capabilities are valid: a server's configuration can change.
    public static let lifetime: TimeInterval = 86_400

    /// True if the server reported the capabilities at most a day ago. False if the time is unknown or more than a day
    /// in the future.
    public func isFresh(at now: Date) -> Bool {
        guard let asked else { return false }
        // A clock that was set back must not keep the capabilities for ever.
        return (-Self.lifetime...Self.lifetime).contains(now.timeIntervalSince(asked))
    }
}

/// A store that keeps capabilities in memory until the process ends.
public final class CapabilityMemory: CapabilityStore {
    private let known = Mutex<[CapabilityKey: ServerCapabilities]>([:])

    public init() {}

    public func capabilities(of place: CapabilityKey) -> ServerCapabilities? {
        known.withLock { $0[place] }
    }

    public func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey) {
        known.withLock { $0[place] = capabilities.value }
    }
}
