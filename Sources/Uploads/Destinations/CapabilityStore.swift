public import FerryFiles
public import FerryProtocols
import Synchronization

/// The capabilities that servers said they offer, kept so that each server is asked once: `CapabilityMemory` for one
/// process, `CapabilityFile` across restarts.
///
/// Nothing depends on it: what is not there is asked again.
public protocol CapabilityStore: Sendable {
    /// Returns the capabilities as last kept, however long ago; nil if there are none.
    func capabilities(of place: CapabilityKey) -> ServerCapabilities?
    /// Takes the place of what was kept; `asked` says when.
    func keep(_ capabilities: ServerCapabilities, of place: CapabilityKey)
}

/// The key of capabilities: one address, as one protocol has found it out.
public struct CapabilityKey: Hashable, Codable, Sendable {
    /// The destination's name in the configuration; empty for an address that somebody gave.
    public let destination: String
    /// The address without its query, which may be a secret.
    public let url: String
    /// The protocol: its knowledge says nothing to another one.
    public let protocolName: String

    /// - Parameter url: Its query is left out.
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

/// The software that the server at an address names, whatever protocol it is spoken to by. It tells the server's
/// responses from those of a network that answers in its place.
extension CapabilityKey {
    init(ofServer target: Upload.Target) {
        self.init(destination: target.destination, url: target.url, protocolName: "server")
    }
}

extension CapabilityStore {
    /// Remembers that the server has answered as itself, and with which value of the field Server; nil if it names none.
    func recognize(_ software: String?, at place: CapabilityKey, now: Date) {
        let known = capabilities(of: place)
        var found = known ?? ServerCapabilities()
        // Servers behind one address may differ; those of years do not matter.
        if found.facts.count >= 8 { found.facts = [:] }
        if let software { found.facts[String(software.prefix(200))] = "software" }
        if found != known { keep(found, of: place, at: now) }
    }
}

extension ServerCapabilities {
    /// A server that was set up anew is noticed the next day; to ask costs one request.
    public static let lifetime: TimeInterval = 86_400

    /// True if an upload may rely on it.
    public func isFresh(at now: Date) -> Bool {
        guard let asked else { return false }
        // A clock that was put back must not keep it for ever.
        return (-Self.lifetime...Self.lifetime).contains(now.timeIntervalSince(asked))
    }
}

extension CapabilityStore {
    /// Keeps what was found out at this moment.
    func keep(_ capabilities: ServerCapabilities, of place: CapabilityKey, at now: Date) {
        var found = capabilities
        found.asked = now
        keep(found, of: place)
    }
}

/// Keeps capabilities as long as the process runs.
public final class CapabilityMemory: CapabilityStore {
    private let known = Mutex<[CapabilityKey: ServerCapabilities]>([:])

    public init() {}

    public func capabilities(of place: CapabilityKey) -> ServerCapabilities? {
        known.withLock { $0[place] }
    }

    public func keep(_ capabilities: ServerCapabilities, of place: CapabilityKey) {
        known.withLock { $0[place] = capabilities }
    }
}
