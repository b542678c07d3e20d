import FerryConnectivity
public import FerryProtocols

/// The choice of the proxy for requests. Requests to Unix sockets never use a proxy.
public enum ProxySettings: Hashable, Sendable {
    case none
    /// The proxies in the environment variables `http_proxy`, `https_proxy` and `all_proxy`, with exceptions in
    /// `no_proxy`.
    case environment
    /// The given proxy for all hosts but those in `except`.
    case server(ProxyAddress, except: NoProxyList = NoProxyList())

    /// - Parameter environment: The variables for `.environment`.
    /// - Returns: nil if the request goes to its server directly.
    /// - Throws: `UploadFailure` (`permanent`) if the environment names an unusable proxy for the URL.
    public func proxy(
        for url: String, environment: ProxyEnvironment = .current
    ) throws(UploadFailure) -> ProxyAddress? {
        if case .environment = self, environment.isEmpty { return nil }
        guard let parts = URL(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host(percentEncoded: false)
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        switch self {
        case .none: return nil
        case .server(let proxy, let exceptions):
            return exceptions.contains(host: host, port: port) ? nil : proxy
        case .environment: return try environment.proxy(scheme: scheme, host: host, port: port)
        }
    }
}

/// The environment variables that name proxies, as for curl, but services on this machine (localhost, 127.0.0.1, ::1)
/// are contacted without a proxy, which would take these names for its own machine.
///
/// A lower-case name takes precedence. `HTTP_PROXY` in upper case is ignored: a web server sets it for its CGI programs
/// from a client's field `Proxy`.
public struct ProxyEnvironment: Hashable, Sendable {
    /// The environment of this process.
    public static let current = ProxyEnvironment(ProcessInfo.processInfo.environment)

    private let proxies: [String: String]
    private let exceptions: NoProxyList

    var isEmpty: Bool { proxies.isEmpty }

    /// - Parameter variables: The values, by the name of the variable. An empty value counts as missing.
    public init(_ variables: [String: String]) {
        func first(_ names: String...) -> String? {
            names.lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
        }
        let other = first("all_proxy", "ALL_PROXY")
        var proxies: [String: String] = [:]
        proxies["http"] = first("http_proxy") ?? other
        proxies["https"] = first("https_proxy", "HTTPS_PROXY") ?? other
        self.proxies = proxies
        exceptions = NoProxyList(first("no_proxy", "NO_PROXY") ?? "")
    }

    func proxy(scheme: String, host: String, port: Int) throws(UploadFailure) -> ProxyAddress? {
        guard let text = proxies[scheme], !Reachability.isLocal(host: host),
            !exceptions.contains(host: host, port: port)
        else { return nil }
        return try ProxyAddress(text)
    }
}
