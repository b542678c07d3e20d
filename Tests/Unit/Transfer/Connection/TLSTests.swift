import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

@Suite(.enabled(if: TLSServer.isAvailable, "openssl and python3 make and serve the certificates"))
struct TLSTests {
    @Test(arguments: [0, 1, 65_537, 1_048_577, 9 << 20])
    func `a file arrives byte for byte`(size: Int) async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let file = try TestFile(count: size)
        let delegate = RecordingDelegate()
        let answer = try await withTransport(tls: TLSSettings(caFile: server.authority)) { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: "https://127.0.0.1:\(server.port)/f",
                    body: try file.body(prefix: [1, 2])),
                delegate: delegate)
        }
        #expect(answer.status == 201)
        let received = try #require(server.received("f"))
        #expect(received.count == size + 2)
        #expect(file.pattern.firstDifference(from: Array(received.dropFirst(2))) == nil)
        #expect(delegate.calls.dropLast().last.map(\.total) == ByteCount(size + 2))
    }

    @Test func `N12 an authority that is not configured is not trusted`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let error = try await Self.error(at: server, tls: TLSSettings())
        #expect(error?.failure.category == .permanent)
        #expect(error?.failure.hint?.contains("tls.caFile") == true)
    }

    @Test func `N12 a certificate for another host is not trusted`() async throws {
        let server = try await TLSServer.start(names: "DNS:other.example")
        let error = try await Self.error(at: server, tls: TLSSettings(caFile: server.authority))
        #expect(error?.failure.category == .permanent)
    }

    @Test func `N12 another authority is not enough`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let other = try await TLSServer.start(names: "IP:127.0.0.1")
        let error = try await Self.error(at: server, tls: TLSSettings(caFile: other.authority))
        #expect(error?.failure.category == .permanent)
    }

    @Test func `http where https is spoken is a failure, never a success`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let error = try await withTransport { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: "http://127.0.0.1:\(server.port)/f", body: .bytes([1]))
            ).error
        }
        #expect(error?.failure.category == .network)
    }

    // The first pin matches no key. One matching pin is enough.
    @Test func `a server with a pinned key gets the file`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let pins = [SPKIPin(subjectPublicKeyInfo: []), try #require(SPKIPin(try server.pin))]
        let settings = TLSSettings(caFile: server.authority, pins: pins)
        #expect(try await Self.status(at: server, host: "127.0.0.1", tls: settings) == 201)
    }

    @Test func `a server with another key gets not a byte`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let settings = TLSSettings(
            caFile: server.authority, pins: [SPKIPin(subjectPublicKeyInfo: [1])])
        let error = try await Self.error(at: server, tls: settings)
        #expect(error?.failure.category == .permanent)
        #expect(error?.failure.summary.contains("127.0.0.1") == true)
        #expect(error?.failure.summary.contains(try server.pin) == true)
        #expect(error?.failure.hint?.contains("tls.pins") == true)
        #expect(!server.wasAsked)
    }

    @Test func `a pin does not stand in for an authority`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let settings = TLSSettings(pins: [try #require(SPKIPin(try server.pin))])
        #expect(try await Self.error(at: server, tls: settings)?.failure.category == .permanent)
    }

    @Test func `pins hold for a host that is not verified too`() async throws {
        let server = try await TLSServer.start(names: "DNS:other.example")
        var settings = TLSSettings(
            pins: [SPKIPin(subjectPublicKeyInfo: [1])], insecureHosts: ["127.0.0.1"])
        #expect(try await Self.error(at: server, tls: settings)?.failure.category == .permanent)
        settings.pins = [try #require(SPKIPin(try server.pin))]
        #expect(try await Self.status(at: server, host: "127.0.0.1", tls: settings) == 201)
    }

    @Test func `a request without TLS is not sent if a key is pinned`() async throws {
        let settings = TLSSettings(pins: [SPKIPin(subjectPublicKeyInfo: [1])])
        let error = try await withTransport(tls: settings) { transport in
            await transport.outcome(of: TransportRequest(method: .put, url: "http://127.0.0.1:1/f")).error
        }
        #expect(error?.failure.category == .permanent)
    }

    @Test func `only the host that is named goes unverified, and it is said aloud`() async throws {
        let server = try await TLSServer.start(names: "DNS:other.example")
        let monitor = EventLog()
        let settings = TLSSettings(insecureHosts: ["LOCALHOST"])
        let (named, other) = try await withTransport(tls: settings, monitors: [monitor]) { transport in
            (
                await transport.outcome(of: Self.request(to: "localhost", at: server)),
                await transport.outcome(of: Self.request(to: "127.0.0.1", at: server))
            )
        }
        #expect(named.status == 201)
        #expect(other.error?.failure.category == .permanent)
        #expect(monitor.all == [.certificateNotVerified(host: "LOCALHOST")])
    }

    @Test func `a server that speaks only older versions is refused by name of the setting`() async throws {
        let server = try await TLSServer.start(
            names: "IP:127.0.0.1", demands: TLSServer.Demands(newest: "TLSv1_2"))
        var settings = TLSSettings(caFile: server.authority, minimumVersion: .tls13)
        let error = try await Self.error(at: server, tls: settings)
        #expect(error?.failure.category == .permanent)
        #expect(error?.failure.hint?.contains("tls.minimumVersion") == true)
        settings.minimumVersion = .tls12
        #expect(try await Self.status(at: server, host: "127.0.0.1", tls: settings) == 201)
    }

    @Test func `old cipher suites are spoken only where the settings ask for them`() async throws {
        let server = try await TLSServer.start(
            names: "IP:127.0.0.1",
            demands: TLSServer.Demands(newest: "TLSv1_2", ciphers: "ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"))
        var settings = TLSSettings(caFile: server.authority)
        let error = try await Self.error(at: server, tls: settings)
        #expect(error?.failure.category == .permanent, "\(error?.failure.summary ?? "")")
        #expect(error?.failure.hint?.contains("tls.allowLegacyCiphers") == true)
        settings.allowsLegacyCiphers = true
        #expect(try await Self.status(at: server, host: "127.0.0.1", tls: settings) == 201)
    }

    @Test(arguments: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"])
    func `TLS 1_2 with forward secrecy and authenticated encryption is spoken`(ciphers: String) async throws {
        let server = try await TLSServer.start(
            names: "IP:127.0.0.1", demands: TLSServer.Demands(newest: "TLSv1_2", ciphers: ciphers))
        let settings = TLSSettings(caFile: server.authority)
        #expect(try await Self.status(at: server, host: "127.0.0.1", tls: settings) == 201)
    }

    @Test(arguments: ["TLSv1_2", "TLSv1_3"])
    func `a server that asks for our certificate gets it`(version: String) async throws {
        let server = try await TLSServer.start(
            names: "IP:127.0.0.1", demands: TLSServer.Demands(newest: version, certificate: true))
        let settings = TLSSettings(
            caFile: server.authority, certificate: server.directory.path("server.pem"),
            key: server.directory.path("server.key"))
        let error = try await Self.error(at: server, tls: TLSSettings(caFile: server.authority))
        #expect(error?.failure.category == .permanent, "\(error?.failure.summary ?? "")")
        #expect(error?.failure.hint?.contains("tls.certificate") == true, "\(error?.failure.summary ?? "")")
        #expect(try await Self.status(at: server, host: "127.0.0.1", tls: settings) == 201)
    }

    private static func request(to host: String, at server: TLSServer) -> TransportRequest {
        TransportRequest(method: .put, url: "https://\(host):\(server.port)/f", body: .bytes([1, 2, 3]))
    }

    private static func status(at server: TLSServer, host: String, tls: TLSSettings) async throws -> Int? {
        try await withTransport(tls: tls) { transport in
            await transport.outcome(of: request(to: host, at: server))
        }.get().status
    }

    private static func error(at server: TLSServer, tls: TLSSettings) async throws -> TransportError? {
        let file = try TestFile(count: 1000)
        let error = try await withTransport(tls: tls) { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: "https://127.0.0.1:\(server.port)/f", body: try file.body())
            ).error
        }
        #expect(server.received("f") == nil)
        return error
    }
}

struct TLSSettingsTests {
    // The digest is from RFC 7469 §2.4, the notation from curl.
    @Test func `a pin reads with and without its mark, and as nothing else`() {
        let pin = SPKIPin(subjectPublicKeyInfo: [])
        #expect(pin.description == "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        #expect(SPKIPin(pin.description) == pin)
        #expect(SPKIPin("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=") == pin)
        #expect(SPKIPin("sha256//47DEQpj8") == nil)
        #expect(SPKIPin("") == nil)
        #expect(SPKIPin("not base64") == nil)
    }

    @Test(arguments: [
        TLSSettings(caFile: "/no/such.pem"), TLSSettings(certificate: "/no/such.pem"),
        TLSSettings(key: "/no/such.pem"),
    ])
    func `a file that cannot be used is a failure that names it`(files: TLSSettings) {
        #expect { try HTTPClientTransport(.init(tls: files)) } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return failure.category == .permanent && failure.summary.contains("/no/such.pem")
                && failure.hint == "put a PEM file there, or name another one in tls"
        }
    }

    @Test(arguments: [(true, "can be changed by others (mode 666)"), (false, "cannot be used")])
    func `a TLS file that others can change is not read if the settings check their files`(
        checks: Bool, words: String
    ) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([], to: "authorities.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        var changed = TLSSettings(caFile: path)
        changed.checksFiles = checks
        let settings = changed
        #expect { try HTTPClientTransport(.init(tls: settings)) } throws: { error in
            (error as? UploadFailure)?.summary.contains(words) == true
        }
    }

    @Test(arguments: [
        (TLSFiles.fileLimit, "cannot be used"), (TLSFiles.fileLimit + 1, "has more than 16 MiB"),
    ])
    func `a TLS file beyond the limit is refused before it is read`(size: ByteCount, words: String) throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write([], to: "authorities.pem")
        // The file is sparse, because only its length matters.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(size))
        try file.close()
        #expect { try HTTPClientTransport(.init(tls: TLSSettings(caFile: path))) } throws: { error in
            (error as? UploadFailure)?.summary.contains(words) == true
        }
    }
}

extension RecordingDelegate.Call {
    var total: ByteCount? { if case .sent(_, let total, _) = self { total } else { nil } }
}
