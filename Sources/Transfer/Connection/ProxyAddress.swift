public import FerryProtocols

/// The address of a proxy, with the user and password for it.
public struct ProxyAddress: Hashable, Sendable, CustomStringConvertible {
    /// The protocol of a proxy.
    public enum Kind: String, Hashable, Sendable {
        /// An HTTP proxy. It tunnels `https` (CONNECT, RFC 9110 §9.3.6) and forwards `http` (RFC 9112 §3.2.2).
        case http
        /// A SOCKS 5 proxy without authentication (RFC 1928). The proxy resolves the host name.
        case socks5
    }

    private static let defaultPort = 1080

    /// The protocol of the proxy. An address without a protocol means HTTP.
    public var kind: Kind
    /// The name or the IP address of the proxy. An IPv6 address has no brackets.
    public var host: String
    /// The port, 1 to 65535.
    public var port: Int
    /// The user, sent with `password` to an HTTP proxy as `Proxy-Authorization: Basic` (RFC 7617).
    public var user: String?
    /// The password; ignored without a user.
    public var password: ProxyPassword?

    public init(
        _ kind: Kind = .http, host: String, port: Int, user: String? = nil, password: ProxyPassword? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    /// - Parameter text: `http://user:password@host:port`, `socks5://host:port` or `host:port`.
    /// - Throws: `UploadFailure` (`permanent`) that describes the error and contains neither user nor password.
    public init(_ text: String) throws(UploadFailure) {
        let shown = Self.withoutUser(text)
        let address = text.contains("://") ? text : "http://" + text
        guard let url = URL(string: address), let host = url.host(percentEncoded: false),
            UploadAddress.isHost(host), ["", "/"].contains(url.path), url.query() == nil
        else { throw Self.unusable(shown, "it is not of the form http://host:port") }
        switch url.scheme?.lowercased() {
        case "http": kind = .http
        // Both schemes mean the same here: the proxy resolves the host name. For `socks5`, curl resolves it itself.
        case "socks5", "socks5h": kind = .socks5
        default: throw Self.unusable(shown, "proxies are spoken to by http or socks5")
        }
        self.host = host
        port = url.port ?? Self.defaultPort
        guard (1...65_535).contains(port) else { throw Self.unusable(shown, "the port is out of range") }
        user = url.user(percentEncoded: false)
        password = url.password(percentEncoded: false).map { ProxyPassword($0) }
        if kind == .socks5, user != nil {
            throw Self.unusable(shown, "a user name for a SOCKS proxy is not supported")
        }
        if user?.contains(":") ?? false { throw Self.unusable(shown, "the user name holds a colon") }
    }

    /// The address without the user: kind, host and port.
    public var description: String {
        "\(kind.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// The value of `Proxy-Authorization` (RFC 7617); nil if there is no user.
    package func authorization() async throws(UploadFailure) -> String? {
        guard let user else { return nil }
        let pair = user + ":" + (try await password?.read() ?? "")
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }

    private static func withoutUser(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text }
        return "…" + text[at...]
    }

    private static func unusable(_ shown: String, _ reason: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the proxy \(shown) cannot be used: \(reason)",
            hint: "correct the setting proxy, or the environment's http_proxy, https_proxy or all_proxy")
    }
}

/// A password that is fetched when it is needed, and is never printed.
public struct ProxyPassword: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private let identity: String
    private let fetch: @Sendable () async throws(UploadFailure) -> String

    /// Creates a password from its text.
    public init(_ text: String) {
        identity = text
        fetch = { () async throws(UploadFailure) in text }
    }

    /// - Parameters:
    ///   - source: The name of the source. Passwords from the same source count as equal.
    ///   - fetch: Fetches the password for each request, so that the password can change.
    public init(from source: String, fetch: @escaping @Sendable () async throws(UploadFailure) -> String) {
        identity = source
        self.fetch = fetch
    }

    public static func == (left: ProxyPassword, right: ProxyPassword) -> Bool {
        left.identity == right.identity
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    /// A fixed number of dots, whatever the password is.
    public var description: String { "•••" }
    /// A mirror without children, so that no dump shows the password.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    func read() async throws(UploadFailure) -> String { try await fetch() }
}
