import FerryFiles
import HTTPTypes
import NIOCore

/// Decides whether a client is allowed to use the receiver.
struct Authorizer: Sendable {
    /// The minimum number of bytes of a token. A shorter token can be guessed in reasonable time.
    static let shortestToken = 16

    private let token: [UInt8]?
    private let names: Set<String>

    init(token: String?, names: Set<String>) {
        self.token = token.map { Array($0.utf8) }
        self.names = Set(names.map { $0.lowercased() }).union(["localhost"])
    }

    /// Checks the host name, the origin and the token of a request.
    func check(_ request: HTTPRequest) throws(Refusal) {
        guard let authority = request.authority, !authority.isEmpty else {
            throw Refusal(.badRequest, "The request has no Host.")
        }
        // In a DNS rebinding attack, `Host` has the host name of a web page. An IP address cannot be rebound.
        guard let host = Self.host(of: authority), names.contains(host) || Self.isAddress(host) else {
            throw Refusal(.misdirectedRequest, "This receiver does not go by that name; use its address.")
        }
        if let origin = request.headerFields[.origin]?.lowercased(),
            !["http://", "https://"].contains(where: { origin == $0 + authority.lowercased() })
        {
            throw Refusal(.forbidden, "Web pages from elsewhere may not upload here.")
        }
        guard let token else { return }
        let credentials = request.headerFields[.authorization]?.split(separator: " ", maxSplits: 1) ?? []
        let isBearer = credentials.count == 2 && credentials[0].lowercased() == "bearer"
        guard isBearer, Self.isEqual(Array(credentials[1].utf8), token) else {
            throw Refusal(
                .unauthorized, "A token is needed: Authorization: Bearer TOKEN.",
                fields: [.wwwAuthenticate: "Bearer"])
        }
    }

    /// True for an address in `127.0.0.0/8`, for `::1` and for `localhost`.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        return isAddress(host) && host.hasPrefix("127.")
    }

    static func isAddress(_ host: String) -> Bool {
        // A URL contains no IPv6 zone identifier (RFC 3986 §3.2.2).
        !host.contains("%") && (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// Returns the host of `host`, `host:port` or `[address]:port`, in lower case and without a dot at the end; nil if
    /// other text than a port follows it, such as in `localhost:1@evil`.
    static func host(of authority: String) -> String? {
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
        }
        // A port may be empty (RFC 3986 §3.2.3).
        let isPort = rest.first == ":" && rest.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
        guard rest.isEmpty || isPort else { return nil }
        return (host.hasSuffix(".") ? host.dropLast() : host).lowercased()
    }

    /// Compares two tokens of equal length in a time that does not reveal the position of the first difference.
    static func isEqual(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
        given.count == expected.count && zip(given, expected).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
