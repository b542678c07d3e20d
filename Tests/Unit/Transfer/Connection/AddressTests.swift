import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests servers on Unix sockets.
struct UnixSocketTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("a b.sock")
    }

    private func url(_ rest: String) -> String {
        let encoded = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? path
        return "http+unix://\(encoded)\(rest)"
    }

    @Test(arguments: [0, 1, 3 << 20])
    func `a file arrives byte for byte at a server that is called localhost`(size: Int) async throws {
        let server = try HostileServer(at: .unix(path), bodyLimit: 4 << 20, [.answer(201)])
        defer { server.stop() }
        let file = try TestFile(count: size)
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(method: .put, url: url("/f?x=1"), body: try file.body()))
        }
        #expect(answer.status == 201)
        let request = try #require(server.requests.first)
        #expect(request.target == "/f?x=1")
        #expect(request["Host"] == "localhost")
        #expect(file.pattern.firstDifference(from: request.body) == nil)
    }

    @Test func `no proxy stands before a socket`() async throws {
        let server = try HostileServer(at: .unix(path), [.answer(201)])
        defer { server.stop() }
        let proxy = ProxySettings.server(ProxyAddress(host: "127.0.0.1", port: 1))
        let answer = try await withTransport(proxy: proxy) { transport in
            await transport.outcome(of: TransportRequest(method: .get, url: url("/")))
        }
        #expect(answer.status == 201)
    }

    @Test func `the configuration's own Host goes before localhost`() async throws {
        let server = try HostileServer(at: .unix(path), [.answer(201)])
        defer { server.stop() }
        let fields: HTTPFields = [try #require(HTTPField.Name("Host")): "files.example"]
        _ = try await withTransport { transport in
            await transport.outcome(of: TransportRequest(method: .get, url: url("/"), fields: fields))
        }
        #expect(
            server.requests.first?.headers.filter { $0.name.lowercased() == "host" }.map(\.value) == [
                "files.example"
            ])
    }

    @Test(arguments: ["/other", "http://localhost/other", "https://localhost/other", "//localhost/other"])
    func `a redirect within the server stays at the socket`(location: String) async throws {
        let server = try HostileServer(at: .unix(path), [.redirect(307, to: location), .answer(201)])
        defer { server.stop() }
        let answer = try await withTransport { transport in
            try await RequestSender(over: transport).perform(
                TransportRequest(method: .put, url: url("/f"), body: .bytes([1])), label: "1")
        }
        #expect(answer.status == 201)
        #expect(server.requests.map(\.target) == ["/f", "/other"])
    }

    @Test func `a socket that is not there is named and asked again later`() async throws {
        let error = try #require(
            try await withTransport { transport in
                await transport.outcome(of: TransportRequest(method: .get, url: url("/"))).error
            })
        #expect(error.reason == .notConnected)
        #expect(error.failure.category == .network)
        #expect(error.failure.summary == "no connection to \(path): nothing listens there")
    }

    @Test func `a socket without a listener refuses`() async throws {
        try HostileServer(at: .unix(path), []).stop()
        let error = try #require(
            try await withTransport { transport in
                await transport.outcome(of: TransportRequest(method: .get, url: url("/"))).error
            })
        #expect(error.reason == .notConnected)
        #expect(error.failure.summary == "no connection to \(path): refused")
    }

    @Test func `a server behind a socket that breaks off is named`() async throws {
        let server = try HostileServer(at: .unix(path), [.closeWithoutAnswer])
        defer { server.stop() }
        let error = try #require(
            try await withTransport { transport in
                await transport.outcome(of: TransportRequest(method: .get, url: url("/"))).error
            })
        #expect(error.failure.summary.contains(path))
    }

    @Test func `a server behind a socket that says nothing is given up`() async throws {
        let server = try HostileServer(at: .unix(path), [.neverAnswer])
        defer { server.stop() }
        let error = try #require(
            try await withTransport(response: .milliseconds(300)) { transport in
                await transport.outcome(of: TransportRequest(method: .get, url: url("/"))).error
            })
        #expect(error.failure.summary == "\(path) did not answer in time")
    }
}

@Suite(.enabled(if: ListeningAddress.hasIPv6, "this machine has no ::1"))
struct IPv6Tests {
    @Test func `a file arrives and the address is written with brackets`() async throws {
        let server = try HostileServer(at: .ipv6, bodyLimit: 4 << 20, [.answer(201)])
        defer { server.stop() }
        let file = try TestFile(count: 3 << 20)
        let answer = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: "http://[::1]:\(server.port)/f", body: try file.body()))
        }
        #expect(answer.status == 201)
        let request = try #require(server.requests.first)
        #expect(request["Host"] == "[::1]:\(server.port)")
        #expect(file.pattern.firstDifference(from: request.body) == nil)
    }

    @Test(arguments: ["/other", "absolute"])
    func `a redirect within the server is followed`(location: String) async throws {
        let server = try HostileServer(at: .ipv6) { connection in
            while try connection.waitForRequest() {
                let request = try connection.readRequest()
                let host = request["Host"] ?? ""
                let target = location == "absolute" ? "http://\(host)/other" : location
                let isFirst = request.target == "/f"
                try connection.answer(isFirst ? 308 : 201, headers: isFirst ? [("Location", target)] : [])
            }
        }
        defer { server.stop() }
        let answer = try await withTransport { transport in
            try await RequestSender(over: transport).perform(
                TransportRequest(method: .put, url: "http://[::1]:\(server.port)/f", body: .bytes([1])),
                label: "1")
        }
        #expect(answer.status == 201)
        #expect(server.requests.map(\.target) == ["/f", "/other"])
    }

    @Test func `a proxy may have such an address`() async throws {
        let server = try HostileServer(at: .ipv6, [.answer(201), .answer(407, keepAlive: false)])
        defer { server.stop() }
        let proxy = ProxySettings.server(try ProxyAddress("http://[::1]:\(server.port)"))
        let (plain, tunnel) = try await withTransport(proxy: proxy) { transport in
            (
                await transport.outcome(of: TransportRequest(method: .get, url: "http://[2001:db8::1]/")),
                await transport.outcome(of: TransportRequest(method: .get, url: "https://[2001:db8::1]/"))
            )
        }
        #expect(plain.status == 201)
        #expect(tunnel.error?.failure.category == .authentication)
        #expect(server.requests.map(\.target) == ["http://[2001:db8::1]/", "[2001:db8::1]:443"])
    }

    @Test func `one that refuses is named`() async throws {
        let server = try HostileServer(at: .ipv6, [])
        server.stop()
        let error = try #require(
            try await withTransport { transport in
                await transport.outcome(
                    of: TransportRequest(method: .get, url: "http://[::1]:\(server.port)/")
                ).error
            })
        #expect(error.reason == .notConnected)
        #expect(error.failure.summary == "no connection to ::1: refused")
    }
}
