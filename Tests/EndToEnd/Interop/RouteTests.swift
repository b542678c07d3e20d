import FerryReceiver
import FerryTestSupport
import Foundation
import Testing

/// Tests uploads through proxies, to Unix sockets and over IPv6.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct RouteTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    @Test func `N13 the environment's proxy gets its password, and no output shows it`()
        async throws
    {
        let proxy = try HostileServer([.answer(201)])
        defer { proxy.stop() }
        var place = place
        place.environment["http_proxy"] = "http://me:geheim@127.0.0.1:\(proxy.port)"
        try await place.ferry("add", "--to", "put+http://files.example/in/", try place.file("a"))
        let result = try await place.ferry("run", "--json", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        let request = try #require(proxy.requests.first)
        #expect(request.target == "http://files.example/in/a")
        #expect(request["Proxy-Authorization"] == "Basic bWU6Z2VoZWlt")
        try place.expectNowhere("geheim", in: result)
    }

    @Test func `a destination's own proxy goes before the one for all`() async throws {
        let proxy = try HostileServer([.answer(407, keepAlive: false)])
        defer { proxy.stop() }
        var place = place
        place.environment["PROXY_PASSWORD"] = "geheim"
        try place.configure(
            """
            { "proxy": "none", "destinations": { "here": { "url": "http://127.0.0.1:1/", "protocol": "put",
              "proxy": { "url": "http://me@127.0.0.1:\(proxy.port)", "password": { "env": "PROXY_PASSWORD" } } } } }
            """)
        try await place.ferry("add", try place.file("a"))
        let result = try await place.ferry("run", "--json", "--exit-when-idle")
        #expect(result.ending == .exited(1), "\(result.output)")
        let upload = try #require(try await place.list().first)
        #expect(upload.state == "held")
        #expect(
            upload.error == "the proxy http://127.0.0.1:\(proxy.port) does not accept our user and password")
        #expect(upload.status == 407)
        #expect(proxy.requests.first?["Proxy-Authorization"] == "Basic bWU6Z2VoZWlt")
        try place.expectNowhere("geheim", in: result)
    }

    @Test func `N13 hosts that are excepted are asked directly`() async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try place.configure(
            """
            { "proxy": { "url": "http://127.0.0.1:1", "except": ["127.0.0.0/8"] },
              "destinations": { "here": { "url": "\(server.url())", "protocol": "put" } } }
            """)
        try await place.ferry("add", try place.file("a"))
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(0))
    }

    @Test(.enabled(if: Privilege.has("nginx"), "needs nginx; Tests/run installs it"))
    func `nginx behind a Unix socket takes a file by PUT`() async throws {
        let folder = place.directory.path("server")
        let socket = place.directory.path("n.sock")
        let server = try await InteropServer("nginx_put.sh", socket: socket, folder: folder)
        let file = try place.file("a b.txt", "by way of a socket")
        let added = try await place.ferry("add", "--to", "put+" + Self.address(of: socket, "/in/"), file)
        #expect(added.ending == .exited(0), "\(added.errors)")
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(await ChildProcess.succeeds("cmp", file, folder + "/files/in/a b.txt"))
        try await server.stop()
    }

    // tuspyserver responds with http://localhost/files/…, from the Host field of the request.
    @Test(.enabled(if: InteropServer.hasPython, InteropServer.needsPython))
    func `tuspyserver behind a Unix socket takes files over tus`() async throws {
        let folder = place.directory.path("server")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let socket = place.directory.path("t.sock")
        let server = try await InteropServer("tus_server.py", socket: socket, folder: folder)
        try place.file("large.bin", "")
        _ = try PatternFile(at: place.path("large.bin"), count: 5_000_000)
        let to = "tus+" + Self.address(of: socket, "/files/")
        #expect(try await place.ferry("add", "--to", to, place.path("large.bin")).ending == .exited(0))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        let upload = try #require(try await place.list().first)
        #expect(
            upload.location?.hasPrefix(Self.address(of: socket, "/files/")) == true,
            "\(upload.location ?? "")")
        let id = try #require(upload.location?.split(separator: "/").last)
        #expect(await ChildProcess.succeeds("cmp", place.path("large.bin"), "\(folder)/\(id)"))
        try await server.stop()
    }

    @Test func `a Unix socket may be a destination of the configuration`() async throws {
        let socket = place.directory.path("c.sock")
        let server = try HostileServer(at: .unix(socket), [.answer(201)])
        defer { server.stop() }
        try place.configure("put", at: Self.address(of: socket, "/{name}?x=1"))
        try await place.ferry("add", try place.file("a"))
        let result = try await place.ferry("run", "--exit-when-idle")
        #expect(result.ending == .exited(0), "\(result.output)")
        #expect(server.requests.map(\.target) == ["/a?x=1"])
    }

    @Test(
        .enabled(if: ListeningAddress.hasIPv6, "this machine has no ::1"), arguments: ["put", "tus"])
    func `a receiver with an IPv6 address takes a file`(protocolName: String) async throws {
        try await ReceiverSite.with {
            $0.host = "::1"
        } _: { [place] site in
            #expect(site.url.hasPrefix("http://[::1]:"))
            try place.file("a.bin", "")
            _ = try PatternFile(at: place.path("a.bin"), count: 3_000_000)
            let url = protocolName == "tus" ? "tus+" + site.tusURL : site.url
            #expect(try await place.ferry("add", "--to", url, place.path("a.bin")).ending == .exited(0))
            let result = try await place.ferry("run", "--exit-when-idle")
            #expect(result.ending == .exited(0), "\(result.output)")
            #expect(await ChildProcess.succeeds("cmp", place.path("a.bin"), site.folder + "/a.bin"))
        }
    }

    private static func address(of socket: String, _ rest: String) -> String {
        "http+unix://" + socket.replacing("/", with: "%2F") + rest
    }
}
