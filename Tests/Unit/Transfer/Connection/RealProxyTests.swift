import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests uploads through real proxy programs.
@Suite(.serialized)
struct RealProxyTests {
    @Suite(.enabled(if: ProxyProgram.hasTinyproxy, "needs tinyproxy; Tests/run installs it"))
    struct Tinyproxy {
        private static func settings(_ proxy: ProxyProgram, password: String = "geheim") -> ProxySettings {
            .server(
                ProxyAddress(
                    host: "127.0.0.1", port: proxy.port, user: "me", password: ProxyPassword(password)))
        }

        @Test(.enabled(if: TLSServer.isAvailable, "openssl and python3 make and serve the certificates"))
        func `a file goes through the tunnel, and the server's certificate counts`() async throws {
            let proxy = try await ProxyProgram.tinyproxy()
            let server = try await TLSServer.start(names: "IP:127.0.0.1")
            let file = try TestFile(count: 9 << 20)
            let url = "https://127.0.0.1:\(server.port)/f"
            let stranger = try await withTransport(proxy: Self.settings(proxy)) { transport in
                await transport.outcome(of: TransportRequest(method: .put, url: url, body: try file.body()))
            }
            #expect(stranger.error?.failure.category == .permanent)
            let tls = TLSSettings(
                caFile: server.authority, pins: [try #require(SPKIPin(try server.pin))])
            let answer = try await withTransport(tls: tls, proxy: Self.settings(proxy)) { transport in
                await transport.outcome(of: TransportRequest(method: .put, url: url, body: try file.body()))
            }
            #expect(answer.status == 201)
            #expect(file.pattern.firstDifference(from: try #require(server.received("f"))) == nil)
        }

        @Test func `a plain upload is forwarded`() async throws {
            let proxy = try await ProxyProgram.tinyproxy()
            let server = try HostileServer(bodyLimit: 16 << 20, [.answer(201)])
            defer { server.stop() }
            let file = try TestFile(count: 9 << 20)
            let answer = try await withTransport(proxy: Self.settings(proxy)) { transport in
                await transport.outcome(
                    of: TransportRequest(method: .put, url: server.url("/a%20b?c"), body: try file.body()))
            }
            #expect(answer.status == 201)
            let request = try #require(server.requests.first)
            #expect(request.target == "/a%20b?c")
            #expect(request["Via"]?.contains("tinyproxy") == true)
            #expect(request["Proxy-Authorization"] == nil)
            #expect(file.pattern.firstDifference(from: request.body) == nil)
        }

        // This proxy responds to a wrong password with 401 instead of 407. The client does not see this response to a
        // tunnel request.
        @Test(arguments: ["http", "https"])
        func `N13 missing credentials are reported with the proxy's name`(scheme: String) async throws {
            let proxy = try await ProxyProgram.tinyproxy()
            let settings = ProxySettings.server(ProxyAddress(host: "127.0.0.1", port: proxy.port))
            let failure = try #require(
                try await withTransport(proxy: settings) { transport in
                    await transport.outcome(
                        of: TransportRequest(
                            method: .put, url: "\(scheme)://127.0.0.1:1/f", body: .bytes([1]))
                    ).error
                }
            ).failure
            #expect(failure.category == .authentication, "\(failure.summary)")
            #expect(failure.summary == "the proxy http://127.0.0.1:\(proxy.port) wants a user and a password")
        }

        @Test func `N13 a tunnel that a wrong password closes is reported with where the password is set`()
            async throws
        {
            let proxy = try await ProxyProgram.tinyproxy()
            let failure = try #require(
                try await withTransport(proxy: Self.settings(proxy, password: "falsch")) { transport in
                    await transport.outcome(of: TransportRequest(method: .get, url: "https://127.0.0.1:1/"))
                        .error
                }
            ).failure
            #expect(failure.summary.contains("http://127.0.0.1:\(proxy.port) does not let us through"))
            #expect(failure.hint?.contains("user and password in proxy") == true)
            #expect(!"\(failure)".contains("falsch"))
        }

        @Test func `N13 a server that the proxy cannot reach is retried`() async throws {
            let proxy = try await ProxyProgram.tinyproxy()
            let failure = try #require(
                try await withTransport(proxy: Self.settings(proxy)) { transport in
                    await transport.outcome(of: TransportRequest(method: .get, url: "https://127.0.0.1:1/"))
                        .error
                }
            ).failure
            #expect(failure.isTransient)
            #expect(failure.summary.contains("http://127.0.0.1:\(proxy.port)"))
        }
    }

    @Suite(.enabled(if: ProxyProgram.hasMicrosocks, "needs microsocks; Tests/run installs it"))
    struct Microsocks {
        private static func settings(_ proxy: ProxyProgram) -> ProxySettings {
            .server(ProxyAddress(.socks5, host: "127.0.0.1", port: proxy.port))
        }

        @Test(.enabled(if: TLSServer.isAvailable, "openssl and python3 make and serve the certificates"))
        func `a file arrives over TLS, by the name that the proxy looks up`() async throws {
            let proxy = try await ProxyProgram.microsocks()
            let server = try await TLSServer.start(names: "DNS:localhost")
            let file = try TestFile(count: 9 << 20)
            let tls = TLSSettings(caFile: server.authority)
            let answer = try await withTransport(tls: tls, proxy: Self.settings(proxy)) { transport in
                await transport.outcome(
                    of: TransportRequest(
                        method: .put, url: "https://localhost:\(server.port)/f", body: try file.body()))
            }
            #expect(answer.status == 201)
            #expect(file.pattern.firstDifference(from: try #require(server.received("f"))) == nil)
        }

        @Test func `a plain upload arrives`() async throws {
            let proxy = try await ProxyProgram.microsocks()
            let server = try HostileServer(bodyLimit: 16 << 20, [.answer(201)])
            defer { server.stop() }
            let file = try TestFile(count: 9 << 20)
            let answer = try await withTransport(proxy: Self.settings(proxy)) { transport in
                try await transport.put(file, to: server.url("/f"))
            }
            #expect(answer.status == 201)
            let request = try #require(server.requests.first)
            #expect(request.target == "/f")
            #expect(file.pattern.firstDifference(from: request.body) == nil)
        }

        @Test(.enabled(if: ListeningAddress.hasIPv6, "this machine has no ::1"))
        func `a server with an IPv6 address is reached`() async throws {
            let proxy = try await ProxyProgram.microsocks()
            let server = try HostileServer(at: .ipv6, [.answer(201)])
            defer { server.stop() }
            let answer = try await withTransport(proxy: Self.settings(proxy)) { transport in
                await transport.outcome(
                    of: TransportRequest(method: .get, url: "http://[::1]:\(server.port)/"))
            }
            #expect(answer.status == 201)
        }

        @Test func `a proxy that wants credentials is reported as such`() async throws {
            let proxy = try await ProxyProgram.microsocks(wantsUser: true)
            let failure = try #require(
                try await withTransport(proxy: Self.settings(proxy)) { transport in
                    await transport.outcome(of: TransportRequest(method: .get, url: "http://127.0.0.1:1/"))
                        .error
                }
            ).failure
            #expect(failure.category == .authentication)
        }

        @Test func `a server that refuses is distinguished from the proxy`() async throws {
            let proxy = try await ProxyProgram.microsocks()
            let failure = try #require(
                try await withTransport(proxy: Self.settings(proxy)) { transport in
                    await transport.outcome(of: TransportRequest(method: .get, url: "http://127.0.0.1:1/"))
                        .error
                }
            ).failure
            #expect(failure.category == .network)
            #expect(failure.summary.hasPrefix("no connection to 127.0.0.1 through the proxy socks5://"))
            #expect(failure.detail == .refused)
        }
    }
}
