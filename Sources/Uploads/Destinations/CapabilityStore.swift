public import FerryFiles
public import FerryProtocols
public import FerryTransfer
import Synchronization

/// A store of the capabilities that servers report, so that not every upload requests them again. `CapabilityMemory`
/// stores them for the life of the process, `CapabilityFile` across restarts.
///
/// Uploads also work without stored capabilities: missing ones are requested again.
public protocol CapabilityStore: Sendable {
    /// Returns the stored capabilities, however old; nil if there are none.
    func capabilities(of place: CapabilityKey) -> ServerCapabilities?
    /// Stores new capabilities in place of the old ones. Their member `asked` must be the time when the server reported
    /// them.
    func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey)
}

/// The key under which a server's capabilities are stored: the destination's name, the URL and the protocol.
public struct CapabilityKey: Hashable, Codable, Sendable {
    /// The destination's name in the configuration; empty if the user gave a URL instead of a name.
    public let destination: String
    /// The URL without its query, which may be a secret.
    public let url: String
    /// The protocol. Capabilities of one protocol are useless to another.
    public let protocolName: String

    /// - Parameter url: The URL; its query is removed.
    public init(destination: String, url: String, protocolName: String) {
        self.destination = destination
        self.url = UploadAddress.withoutQuery(url)
        self.protocolName = protocolName
    }

    init(_ destination: Destination) {
        self.init(
            destination: destination.name, url: destination.url, protocolName: destination.protocolName)
    }

    init(_ target: Upload.Target) {
        self.init(destination: target.destination, url: target.url, protocolName: target.method)
    }
}

extension CapabilityKey {
    /// Creates the key under which Ferry stores the values of the header field `Server` in responses from the target's
    /// server. The key is the same for every protocol. By these values, Ferry distinguishes the server's responses from
    /// those of a captive portal.
    init(ofServer target: Upload.Target) {
        self.init(destination: target.destination, url: target.url, protocolName: "server")
    }
}

extension CapabilityStore {
    /// Records that the server itself has responded, and not a captive portal. `software` is the value of the header
    /// field `Server` in the response, if any.
    func recognize(_ software: Redacted<String?>, at place: CapabilityKey, now: Date) {
        let known = capabilities(of: place)
        var found = known ?? ServerCapabilities()
        // Several servers may respond at one URL, so several names are stored. At the limit all names are dropped,
        // because some may be years old.
        if found.facts.count >= 8 { found.facts = [:] }
        if let name = software.value { found.facts[String(name.prefix(200))] = "software" }
        if found != known { keep(software.map { _ in found }, of: place, at: now) }
    }
}

extension ServerCapabilities {
    /// The number of seconds for which uploads rely on stored capabilities. After a day one request updates them,
    /// because the server may have been reconfigured.
    public static let lifetime: TimeInterval = 86_400

    /// Returns whether the capabilities are recent enough for an upload to rely on them.
    public func isFresh(at now: Date) -> Bool {
        guard let asked else { return false }
        // A clock that was set back must not keep the capabilities for ever.
        return (-Self.lifetime...Self.lifetime).contains(now.timeIntervalSince(asked))
    }
}

extension CapabilityStore {
    /// Stores capabilities that the server reported at the time `now`.
    func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey, at now: Date) {
        let dated = capabilities.map { found in
            var found = found
            found.asked = now
            return found
        }
        keep(dated, of: place)
    }
}

/// A store of capabilities for the life of the process.
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
