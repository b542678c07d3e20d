import FerryProtocols
import Testing

@testable import FerryTransfer

/// Tests which proxy a request uses.
struct ProxySettingsTests {
    private static func proxy(for url: String, _ variables: [String: String]) throws -> String? {
        try ProxySettings.environment.proxy(for: url, environment: ProxyEnvironment(variables))?.description
    }

    @Test(
        arguments: [
            ("http://h.example/", ["http_proxy": "http://p:3128"], "http://p:3128"),
            ("https://h.example/", ["http_proxy": "http://p:3128"], nil),
            ("https://h.example/", ["https_proxy": "http://p:3128"], "http://p:3128"),
            ("https://h.example/", ["HTTPS_PROXY": "p:3128"], "http://p:3128"),
            ("https://h.example/", ["https_proxy": "p:1", "HTTPS_PROXY": "q:2"], "http://p:1"),
            ("https://h.example/", ["https_proxy": "", "HTTPS_PROXY": "q:2"], "http://q:2"),
            ("http://h.example/", ["ALL_PROXY": "socks5://p"], "socks5://p:1080"),
            ("https://h.example/", ["all_proxy": "socks5h://[::1]:9050"], "socks5://[::1]:9050"),
            ("https://h.example/", ["all_proxy": "p:1", "https_proxy": "q:2"], "http://q:2"),
            ("https://h.example/", ["https_proxy": "p:1", "no_proxy": "h.example"], nil),
            ("https://h.example/", ["https_proxy": "p:1", "NO_PROXY": "*"], nil),
            ("https://h.example/", [:], nil),
        ] as [(String, [String: String], String?)])
    func `the environment chooses`(url: String, variables: [String: String], expected: String?) throws {
        #expect(try Self.proxy(for: url, variables) == expected)
    }

    // CVE-2016-5385: in a CGI program, a client's `Proxy` field becomes the variable HTTP_PROXY.
    @Test func `the upper-case name for http is not trusted`() throws {
        #expect(try Self.proxy(for: "http://h.example/", ["HTTP_PROXY": "http://evil:1"]) == nil)
    }

    @Test(arguments: ["http://localhost/", "http://127.0.0.1:8080/", "https://[::1]/", "http+unix://%2Fx/"])
    func `this machine's services are not asked through the environment's proxy`(url: String) throws {
        #expect(try Self.proxy(for: url, ["all_proxy": "http://p:1"]) == nil)
    }

    @Test func `a proxy that was chosen serves this machine too, but no Unix socket`() throws {
        let settings = ProxySettings.server(ProxyAddress(host: "p", port: 1))
        #expect(try settings.proxy(for: "http://127.0.0.1/") != nil)
        #expect(try settings.proxy(for: "http+unix://%2Fx/") == nil)
    }

    @Test func `hosts that are excepted are asked directly`() throws {
        let settings = ProxySettings.server(
            ProxyAddress(host: "p", port: 1), except: NoProxyList(["intern.example"]))
        #expect(try settings.proxy(for: "http://a.intern.example/") == nil)
        #expect(try settings.proxy(for: "http://a.example/")?.host == "p")
    }

    @Test(
        arguments: [
            ("h.example", "h.example", 80, true),
            ("h.example", ".h.example", 80, true),
            ("a.h.example", "h.example", 80, true),
            ("a.h.example", ".h.example", 80, true),
            ("xh.example", "h.example", 80, false),
            ("H.Example.", "h.example", 80, true),
            ("h.example", "H.EXAMPLE.", 80, true),
            ("h.example", "a.example, b.example h.example", 80, true),
            ("h.example", "*", 80, true),
            ("h.example", "*.example", 80, false),
            ("h.example", "h.example:8080", 80, false),
            ("h.example", "h.example:8080", 8080, true),
            ("10.1.2.3", "10.0.0.0/8", 80, true),
            ("11.1.2.3", "10.0.0.0/8", 80, false),
            ("10.1.2.3", "10.1.2.2/31", 80, true),
            ("10.1.2.4", "10.1.2.2/31", 80, false),
            ("10.1.2.3", "0.0.0.0/0", 80, true),
            ("10.1.2.3", "10.1.2.3", 80, true),
            ("10.1.2.3", "10.1.2.3:81", 80, false),
            ("10.1.2.3", "2.3", 80, false),
            ("10.1.2.3", "10.0.0.0/33", 80, false),
            ("2001:db8::7", "2001:db8::/32", 443, true),
            ("2001:db9::7", "2001:db8::/32", 443, false),
            ("2001:db8:0::7", "[2001:db8::7]", 443, true),
            ("2001:db8::7", "[2001:db8::7]:443", 443, true),
            ("10.1.2.3", "::/0", 80, false),
            ("h.example", "", 80, false),
            ("h.example", ".,, :80 /8 x/8", 80, false),
        ] as [(String, String, Int, Bool)])
    func `N13 the list of exceptions follows curl's rules`(
        host: String, list: String, port: Int, isIn: Bool
    ) {
        #expect(NoProxyList(list).contains(host: host, port: port) == isIn)
    }

    @Test func `user and password are read from an address and never shown`() async throws {
        let proxy = try ProxyAddress("http://m%C3%A9:geh%40im@proxy.example:3128/")
        #expect(proxy.user == "mé")
        #expect(try await proxy.password?.read() == "geh@im")
        var dumped = ""
        dump(proxy, to: &dumped)
        #expect(!"\(proxy) \(String(reflecting: proxy)) \(dumped)".contains("geh"))
        #expect(try await proxy.authorization() == "Basic bcOpOmdlaEBpbQ==")
    }

    @Test(arguments: [
        "https://u:geheim@p:1", "socks4://u:geheim@p:1", "socks5://u:geheim@p:1", "http://u:geheim@", "",
        "http://u:geheim@p:1/path", "http://u:geheim@a%0D%0Ab:1", "http://u:geheim@p:0",
        "http://u:geheim@p:65536",
        "http://u%3Ax:geheim@p:1", "ftp://p",
    ])
    func `an address that cannot be used is refused without its password`(text: String) throws {
        #expect {
            _ = try ProxyAddress(text)
        } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return failure.category == .permanent && !"\(failure)".contains("gehe")
        }
    }
}
