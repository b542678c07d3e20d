import FerryConnectivity
import FerryFiles
public import FerryProtocols

/// The choice of requests that go through a proxy. Unix sockets never do.
public enum ProxySettings: Hashable, Sendable {
    case none
    /// The settings of the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
    case environment
    /// Through this one, but for some hosts.
    case server(ProxyAddress, except: NoProxyList = NoProxyList())

    /// - Parameters:
    ///   - url: Absolute.
    ///   - environment: What `.environment` goes by.
    /// - Returns: nil if the request goes to its server directly.
    /// - Throws: `UploadFailure` (`permanent`) if the environment names a proxy for it that cannot be used.
    public func proxy(
        for url: String, environment: ProxyEnvironment = .current
    ) throws(UploadFailure) -> ProxyAddress? {
        guard let parts = URL(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host(percentEncoded: false)
        else { return nil }
        let port = parts.port ?? (scheme == "https" ? 443 : 80)
        switch self {
        case .none: return nil
        case .server(let proxy, let exceptions):
            return exceptions.contains(host: host, port: port) ? nil : proxy
        case .environment:
            return try environment.proxy(scheme: scheme, host: host, port: port)
        }
    }
}

/// The variables that name proxies, with the meaning that curl gives them and one difference: this machine's own
/// services (localhost, 127.0.0.1, ::1) are not asked through a proxy, where another machine would stand for them.
///
/// A lower-case name goes before the same in upper case. `HTTP_PROXY` in upper case is not looked at: a web server hands
/// a client's `Proxy` header to its programs under that name.
public struct ProxyEnvironment: Hashable, Sendable {
    /// The environment of this process.
    public static let current = ProxyEnvironment(ProcessInfo.processInfo.environment)

    private let proxies: [String: String]
    private let exceptions: NoProxyList

    /// - Parameter variables: Values by name; an empty value is none.
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
