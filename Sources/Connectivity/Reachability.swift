import FerryFiles

/// The result of one attempt to connect to a destination.
public enum Reachability: Hashable, Sendable {
    case reachable
    /// The machine responds, but the service does not listen.
    case refused
    /// No connection is possible. `reason` is a part of a sentence: `no route to host`.
    case unreachable(reason: String)
    case timedOut
    /// The name does not exist or has no address, or the name server refuses it permanently.
    case nameNotFound
}

extension Reachability {
    /// True for a loopback name or address, or the path of a Unix socket, which need no network.
    ///
    /// - Parameter host: The host as in a URL, with or without brackets; a path may be percent-encoded.
    public static func isLocal(host: String) -> Bool {
        var name = host.lowercased()[...]
        if ["/", "%2f", "unix:"].contains(where: name.hasPrefix) { return true }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        if let address = IPAddress(name.prefix { $0 != "%" }) { return address.isLocal }
        if name.hasSuffix(".") { name = name.dropLast() }
        // RFC 6761 §6.3, and the other names that nss-myhostname(8) resolves.
        return ["localhost", "localhost.localdomain"].contains { name == $0 || name.hasSuffix(".\($0)") }
    }
}
