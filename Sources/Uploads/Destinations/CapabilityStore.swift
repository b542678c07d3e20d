public import FerryFiles
public import FerryProtocols
public import FerryTransfer
import Synchronization

/// A store of the capabilities that servers report, so that each server is asked once. `CapabilityMemory` lasts for one
/// process, `CapabilityFile` across restarts.
///
/// Nothing depends on the store: missing capabilities are requested again.
public protocol CapabilityStore: Sendable {
    /// Returns the stored capabilities, however old; nil if there are none.
    func capabilities(of place: CapabilityKey) -> ServerCapabilities?
    /// Replaces the stored capabilities; `asked` is their date.
    func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey)
}

/// The key of capabilities: one URL and one protocol.
public struct CapabilityKey: Hashable, Codable, Sendable {
    /// The destination's name in the configuration; empty for a URL that the user gave.
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

/// The key of the server software at a URL, whatever the protocol. The software tells the server's responses from those
/// of a captive portal.
extension CapabilityKey {
    init(ofServer target: Upload.Target) {
        self.init(destination: target.destination, url: target.url, protocolName: "server")
    }
}

extension CapabilityStore {
    /// Stores that the server was recognized, with the value of its Server header field; nil if there is none.
    func recognize(_ software: Redacted<String?>, at place: CapabilityKey, now: Date) {
        let known = capabilities(of: place)
        var found = known ?? ServerCapabilities()
        // Servers behind one URL may differ; the limit drops software names that are years old.
        if found.facts.count >= 8 { found.facts = [:] }
        if let name = software.value { found.facts[String(name.prefix(200))] = "software" }
        if found != known { keep(software.map { _ in found }, of: place, at: now) }
    }
}

extension ServerCapabilities {
    /// The number of seconds for which capabilities are trusted. A server that was reconfigured is noticed the next
    /// day, and asking costs one request.
    public static let lifetime: TimeInterval = 86_400

    /// True if an upload may rely on the capabilities.
    public func isFresh(at now: Date) -> Bool {
        guard let asked else { return false }
        // A clock that was set back must not keep the capabilities for ever.
        return (-Self.lifetime...Self.lifetime).contains(now.timeIntervalSince(asked))
    }
}

extension CapabilityStore {
    /// Stores capabilities that were found at this moment.
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
