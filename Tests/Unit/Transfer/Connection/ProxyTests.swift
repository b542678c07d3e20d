import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests requests through scripted proxies.
struct ProxyTests {
    private static func settings(
        _ server: HostileServer, _ kind: ProxyAddress.Kind = .http, user: String? = nil
    ) -> ProxySettings {
        .server(
            ProxyAddress(
                kind, host: "127.0.0.1", port: Int(server.port), user: user,
                password: user.map { _ in ProxyPassword("geheim") }))
    }

    private static func outcome(
        of url: String, by proxy: ProxySettings, connect: Duration = .seconds(5), fields: HTTPFields = [:]
    ) async throws -> Result<TransportResponse, TransportError> {
        try await withTransport(connect: connect, proxy: proxy) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: url, fields: fields, body: .bytes([1, 2, 3])))
        }
    }

    // RFC 9112 §3.2.2. Most proxies refuse tunnels to port 80.
    @Test(arguments: [
        ("http://files.example/a%20b?c=d", "http://files.example/a%20b?c=d", "files.example"),
        ("http://files.example:8080/f", "http://files.example:8080/f", "files.example:8080"),
        ("http://[2001:db8::1]:80", "http://[2001:db8::1]:80/", "[2001:db8::1]:80"),
        ("http://files.example?q", "http://files.example/?q", "files.example"),
    ])
    func `a plain request is forwarded whole`(url: String, target: String, host: String) async throws {
        let proxy = try HostileServer([.answer(201)])
        defer { proxy.stop() }
        let answer = try await Self.outcome(of: url, by: Self.settings(proxy))
        #expect(answer.status == 201)
        let request = try #require(proxy.requests.first)
        #expect(request.target == target)
        #expect(request["Host"] == host)
        #expect(request.body == [1, 2, 3])
        #expect(!request.headers.contains { $0.name.hasPrefix("Ferry-") })
        #expect(request["Proxy-Authorization"] == nil)
    }

    @Test func `a file is forwarded byte for byte`() async throws {
        let proxy = try HostileServer(bodyLimit: 4 << 20, [.answer(201)])
        defer { proxy.stop() }
        let file = try TestFile(count: 3 << 20)
        let answer = try await withTransport(proxy: Self.settings(proxy)) { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: "http://files.example/f", body: try file.body()))
        }
        #expect(answer.status == 201)
        #expect(file.pattern.firstDifference(from: try #require(proxy.requests.first).body) == nil)
    }

    @Test func `a proxy that forwards gets our credentials`() async throws {
        let proxy = try HostileServer([.answer(201), .answer(201)])
        defer { proxy.stop() }
        let settings = Self.settings(proxy, user: "me")
        _ = try await withTransport(proxy: settings) { transport in
            for host in ["a", "b"] {
                _ = await transport.outcome(
                    of: TransportRequest(method: .get, url: "http://\(host).example/"))
            }
        }
        #expect(
            proxy.requests.map { $0["Proxy-Authorization"] }
                == Array(repeating: "Basic bWU6Z2VoZWlt", count: 2))
        #expect(proxy.requests.map(\.target) == ["http://a.example/", "http://b.example/"])
    }

    @Test func `N13 the credentials of the proxy do not go through the tunnel`() async throws {
        let proxy = try HostileServer { connection in
            try connection.readHead()
            try connection.write("HTTP/1.1 403 No\r\n\r\n")
        }
        defer { proxy.stop() }
        _ = try await Self.outcome(
            of: "https://files.example/f", by: Self.settings(proxy, user: "me"),
            fields: [.authorization: "Bearer ours"])
        let request = try #require(proxy.requests.first)
        #expect(request.method == "CONNECT")
        #expect(request.target == "files.example:443")
        #expect(request["Proxy-Authorization"] == "Basic bWU6Z2VoZWlt")
        #expect(request["Authorization"] == nil)
    }

    @Test(arguments: ["http://files.example/f", "https://files.example/f"])
    func `N13 a proxy that does not know us is named, and the password is not`(url: String) async throws {
        let proxy = try HostileServer([.answer(407, keepAlive: false)])
        defer { proxy.stop() }
        let failure = try #require(
            try await Self.outcome(of: url, by: Self.settings(proxy, user: "me")).error
        ).failure
        #expect(failure.category == .authentication)
        #expect(failure.summary.contains("http://127.0.0.1:\(proxy.port) does not accept our user"))
        #expect(!"\(failure)".contains("geheim"))
    }

    @Test(
        arguments: [ProxyAddress.Kind.http, .socks5], ["http://files.example/f", "https://files.example/f"])
    func `N13 a proxy that cannot be reached is named and asked again later`(
        kind: ProxyAddress.Kind, url: String
    ) async throws {
        let proxy = try HostileServer([])
        proxy.stop()
        let error = try #require(try await Self.outcome(of: url, by: Self.settings(proxy, kind)).error)
        #expect(error.reason == .notConnected)
        #expect(error.failure.category == .network)
        #expect(error.failure.summary.contains("proxy \(kind.rawValue)://127.0.0.1:\(proxy.port)"))
        #expect(error.failure.hint == ProxyFailure.hint)
    }

    @Test func `a proxy with a name that does not exist is named`() async throws {
        let proxy = ProxySettings.server(ProxyAddress(host: "no-such-host.invalid", port: 3128))
        let error = try #require(try await Self.outcome(of: "https://files.example/f", by: proxy).error)
        #expect(error.failure.category == .network)
        #expect(error.failure.summary.contains("proxy http://no-such-host.invalid:3128"))
    }

    @Test(
        arguments: [
            ("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno", UploadFailure.Category.server),
            ("HTTP/1.1 502 Bad\r\n\r\n", .server),
            ("HTTP/1.1 302 Found\r\nLocation: http://portal/\r\n\r\n", .server),
            ("HTTP/1.1 407 Who\r\nContent-Length: 100\r\n\r\n", .authentication),
            ("SSH-2.0-OpenSSH\r\n", .network),
            ("\u{5}\u{0}", .network),
            ("HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\nhello", nil),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", nil),
            ("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\nHTTP/1.1 407 Who\r\n\r\n", nil),
            ("HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 101 Switch\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", nil),
            ("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .authentication),
            ("HTTP/1.1 200 OK\r\n", .network),
            ("", .network),
        ] as [(String, UploadFailure.Category?)])
    func `N13 a hostile response of a proxy to a tunnel request does no harm`(
        answer: String, category: UploadFailure.Category?
    ) async throws {
        let proxy = try HostileServer { connection in
            try connection.readHead()
            try connection.write(answer)
            connection.closeSending()
            connection.drain()
        }
        defer { proxy.stop() }
        let error = try #require(
            try await Self.outcome(of: "https://files.example/f", by: Self.settings(proxy)).error)
        #expect(error.bodySent == 0)
        if let category {
            #expect(error.failure.category == category, "\(error.failure.summary)")
            #expect(error.failure.summary.contains("127.0.0.1:\(proxy.port)"), "\(error.failure.summary)")
        }
    }

    @Test(arguments: [ProxyAddress.Kind.http, .socks5])
    func `N13 a proxy that says nothing is given up after the time for connecting`(
        kind: ProxyAddress.Kind
    ) async throws {
        let proxy = try HostileServer { $0.stall() }
        defer { proxy.stop() }
        let error = try #require(
            try await Self.outcome(
                of: "https://files.example/f", by: Self.settings(proxy, kind), connect: .milliseconds(300)
            ).error)
        #expect(error.failure.category == .network)
        #expect(error.failure.summary.contains("proxy \(kind.rawValue)://127.0.0.1:\(proxy.port) within"))
    }

    /// The HTTP client does not limit the size of this response, but it does not keep its bytes either.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nX-Field: ", "xxxxxxxx"), ("HTTP/1.1 200 OK\r\n", "X-Field: x\r\n"),
        ("", "HTTP/1.1 100 Go\r\n\r\n"),
    ])
    func `N13 a response to a tunnel request without end is given up after the time for connecting`(
        start: String, rest: String
    ) async throws {
        let proxy = try HostileServer { connection in
            try connection.readHead()
            try connection.write(start)
            let block = String(repeating: rest, count: 1000)
            while true { try connection.write(block) }
        }
        defer { proxy.stop() }
        let error = try #require(
            try await Self.outcome(
                of: "https://files.example/f", by: Self.settings(proxy), connect: .milliseconds(300)
            ).error)
        #expect(error.failure.category == .network)
        #expect(error.bodySent == 0)
    }

    @Test func `N13 a forwarding proxy's refusal without end is reported at its head`() async throws {
        let proxy = try HostileServer { connection in
            try connection.readRequest()
            try connection.write("HTTP/1.1 407 Who\r\nContent-Length: 10000000\r\n\r\n")
            // A byte every 0.2 s is too frequent for the timeout of silence, and too slow to reach the size limit.
            while true {
                try connection.write("x")
                Thread.sleep(forTimeInterval: 0.2)
            }
        }
        defer { proxy.stop() }
        let begin = ContinuousClock.now
        let error = try #require(
            try await Self.outcome(of: "http://files.example/f", by: Self.settings(proxy)).error)
        #expect(error.failure.category == .authentication)
        // Reading the body may take 20 seconds.
        #expect(begin.duration(to: .now) < .seconds(15))
    }

    // RFC 1928 §3 and §6.
    @Test(
        arguments: [
            ([5, 0xff], UploadFailure.Category.authentication, "wants a user name"),
            ([5, 2], .authentication, "wants a user name"),
            ([4, 0], .network, "does not answer as a proxy"),
            ([5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0], .network, "the proxy answered with the code 1"),
            ([5, 0, 5, 2, 0, 1, 0, 0, 0, 0, 0, 0], .server, "does not allow"),
            ([5, 0, 5, 4, 0, 1, 0, 0, 0, 0, 0, 0], .network, "the host is unreachable"),
            ([5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0], .network, "refused"),
            ([5, 0, 5, 0, 0, 9, 0, 0], .network, "does not answer as a proxy"),
            ([0x48, 0x54, 0x54, 0x50], .network, "does not answer as a proxy"),
            ([], .network, "closed the connection"),
        ] as [([UInt8], UploadFailure.Category, String)])
    func `the reply of a SOCKS proxy is named in the failure`(
        reply: [UInt8], category: UploadFailure.Category, words: String
    ) async throws {
        let proxy = try HostileServer { connection in
            // The client's greeting, then its request to connect to a host name.
            try connection.readBytes(3)
            try connection.write(Array(reply.prefix(2)))
            if reply.count > 2 {
                try connection.readBytes(4 + 1 + "files.example".utf8.count + 2)
                try connection.write(Array(reply.dropFirst(2)))
            }
            connection.closeSending()
            connection.drain()
        }
        defer { proxy.stop() }
        let failure = try #require(
            try await Self.outcome(of: "http://files.example/f", by: Self.settings(proxy, .socks5)).error
        ).failure
        #expect(failure.category == category)
        #expect(failure.summary.contains(words), "\(failure.summary)")
        #expect(failure.summary.contains("socks5://127.0.0.1:\(proxy.port)"), "\(failure.summary)")
    }

    @Test func `a proxy that cannot be used stops only what would go through it`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        let environment = ProxyEnvironment(["http_proxy": "socks4://p:1"])
        #expect(throws: UploadFailure.self) {
            try ProxySettings.environment.proxy(for: "http://a.example/", environment: environment)
        }
        #expect(try ProxySettings.environment.proxy(for: server.url(), environment: environment) == nil)
    }

    @Test func `a password that cannot be fetched is reported as it is`() async throws {
        let missing = UploadFailure(.authentication, "the secret is missing")
        let password = ProxyPassword(from: "nowhere") { () async throws(UploadFailure) in throw missing }
        let proxy = ProxyAddress(host: "127.0.0.1", port: 1, user: "me", password: password)
        let error = try await Self.outcome(of: "https://files.example/f", by: .server(proxy)).error
        #expect(error?.failure == missing)
    }

    @Test func `nothing is asked after the shutdown`() async throws {
        let transport = try HTTPClientTransport(.init(proxy: .none))
        await transport.shutdown()
        let error = await transport.outcome(of: TransportRequest(method: .get, url: "http://127.0.0.1:1/"))
            .error
        #expect(error?.reason == .notConnected)
    }

    @Test(arguments: [
        "http://[fe80::1%25eth0]/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/", "ftp://h/", "http:///x",
        "http+unix://run/x.sock/", "http+unix:///run/x.sock", "https+unix://%2Frun%2Fx.sock/",
        "http+unix://%2F\(String(repeating: "x", count: 120))/", "",
    ])
    func `an address that leads nowhere is refused`(url: String) async throws {
        let error = try #require(try await Self.outcome(of: url, by: .none).error)
        #expect(error.failure.category == .permanent)
        #expect(error.failure.hint?.contains("url") == true)
    }
}
