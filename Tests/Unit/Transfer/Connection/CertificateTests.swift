import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests servers with invalid certificates, and connections whose TLS stream breaks.
@Suite(.enabled(if: TLSServer.isAvailable, "openssl and python3 make and serve the certificates"))
struct CertificateTests {
    private static func outcome(
        at server: TLSServer, _ body: TransportRequest.Body = .bytes([1, 2, 3])
    ) async throws -> Result<TransportResponse, TransportError> {
        try await withTransport(tls: TLSSettings(caFile: server.authority)) { transport in
            await transport.outcome(
                of: TransportRequest(
                    method: .put, url: "https://127.0.0.1:\(server.port)/f", body: body))
        }
    }

    @Test func `N12 a certificate of the time and of a known authority is accepted`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        #expect(try await Self.outcome(at: server).status == 201)
    }

    @Test(arguments: [TLSServer.Defect.expired, .notYetValid, .selfSigned])
    func `N12 a certificate that is no good ends the upload before anything is sent`(
        defect: TLSServer.Defect
    ) async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1", defect: defect)
        let error = try #require(try await Self.outcome(at: server).error)
        #expect(error.reason == (defect == .selfSigned ? .notTrusted : .notConnected))
        #expect(error.failure.category == .permanent)
        #expect(error.bodySent == 0)
        #expect(error.failure.summary.hasPrefix("the TLS connection to 127.0.0.1 is not accepted: "))
        #expect(!server.wasAsked)
        #expect(server.received("f") == nil)
    }

    @Test(arguments: [
        (TLSServer.Defect.expired, "the certificate is over; the server's administrator must renew it"),
        (.notYetValid, "the certificate is not valid yet; see that this machine's clock is right"),
        (.selfSigned, "if the server has a private authority, name its certificate as tls.caFile"),
    ])
    func `N12 the failure shows the certificate's name, dates and fingerprint, and what to do`(
        defect: TLSServer.Defect, hint: String
    ) async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1", defect: defect)
        let failure = try #require(try await Self.outcome(at: server).error).failure
        let said =
            /; it shows a certificate for 127\.0\.0\.1, valid from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, SHA-256 ([0-9A-F:]{95})$/
        #expect(failure.summary.firstMatch(of: said)?.output.1 == Substring(try server.fingerprint))
        #expect(failure.hint == hint)
    }

    @Test func `N12 an alert in the middle of a body is a broken connection, to be retried`() async throws {
        var demands = TLSServer.Demands()
        demands.alertAfter = 1 << 20
        let server = try await TLSServer.start(names: "IP:127.0.0.1", demands: demands)
        let file = try TestFile(count: 16 << 20)
        let error = try #require(try await Self.outcome(at: server, try file.body()).error)
        #expect(error.reason == .broken)
        #expect(error.failure.category == .network)
        #expect(error.bodySent > 0 && error.bodySent < 16 << 20)
        #expect(error.failure.summary.contains("127.0.0.1"), "\(error.failure.summary)")
    }
}
