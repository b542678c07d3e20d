import FerryConnectivity

/// The hosts that are contacted without a proxy, by curl's rules for `NO_PROXY`.
public struct NoProxyList: Hashable, Sendable {
    private enum Entry: Hashable, Sendable {
        case everything
        /// The host itself and all its subdomains.
        case domain(String, port: Int?)
        /// A network of addresses; `length` leading bits must match.
        case network(IPAddress, length: Int, port: Int?)
    }

    private let entries: [Entry]

    /// - Parameter text: The entries (see `init(_:)` of a list), separated by commas or spaces. A host name can have a
    ///   leading dot. A host name or an address can have a port.
    public init(_ text: String = "") {
        self.init(text.split { $0 == "," || $0.isWhitespace }.map(String.init))
    }

    /// - Parameter entries: Host names, addresses, networks such as `10.0.0.0/8`, or `*` for all hosts. A host name
    ///   includes all its subdomains. Any other entry matches no host.
    public init(_ entries: [String]) { self.entries = entries.compactMap(Self.entry) }

    /// Returns whether a host is contacted without a proxy.
    /// - Parameter host: A name, or an address without brackets.
    public func contains(host: String, port: Int) -> Bool {
        let name = Self.trimmed(host)
        let address = IPAddress(name)
        return entries.contains { entry in
            switch entry {
            case .everything: true
            case .domain(let domain, let only):
                address == nil && (only ?? port) == port && (name == domain || name.hasSuffix(".\(domain)"))
            case .network(let network, let length, let only):
                (only ?? port) == port && address?.hasSamePrefix(as: network, length: length) ?? false
            }
        }
    }

    private static func entry(_ text: String) -> Entry? {
        if text == "*" { return .everything }
        if let slash = text.lastIndex(of: "/") {
            guard let address = address(text[..<slash]),
                let length = Int(text[text.index(after: slash)...]), (0...address.bitCount).contains(length)
            else { return nil }
            return .network(address, length: length, port: nil)
        }
        if let address = address(text[...]) { return .network(address, length: address.bitCount, port: nil) }
        var (name, port) = (text[...], Int?.none)
        if let colon = text.lastIndex(of: ":") {
            port = Int(text[text.index(after: colon)...])
            guard port != nil else { return nil }
            name = text[..<colon]
        }
        if let address = address(name) { return .network(address, length: address.bitCount, port: port) }
        let domain = trimmed(String(name))
        return domain.isEmpty ? nil : .domain(domain, port: port)
    }

    private static func address(_ text: Substring) -> IPAddress? {
        text.hasPrefix("[") && text.hasSuffix("]") ? IPAddress(text.dropFirst().dropLast()) : IPAddress(text)
    }

    private static func trimmed(_ name: String) -> String {
        var name = name.lowercased()[...].drop { $0 == "." }
        if name.hasSuffix(".") { name = name.dropLast() }
        return String(name)
    }
}

extension IPAddress {
    fileprivate var bytes: [UInt8] {
        switch self {
        case .ipv4(let bytes), .ipv6(let bytes): bytes
        }
    }

    fileprivate var bitCount: Int { bytes.count * 8 }

    fileprivate func hasSamePrefix(as other: IPAddress, length: Int) -> Bool {
        let (left, right) = (bytes, other.bytes)
        guard left.count == right.count else { return false }
        return (0..<length).allSatisfy { bit in
            (left[bit / 8] ^ right[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}
