import Foundation
import HTTPTypes
import Support
import Testing

@testable import Transfer
@testable import UploadProtocols

@Suite(.enabled(if: TLSServer.isAvailable, "openssl and python3 make and serve the certificates"))
struct TLSTests {
    @Test(arguments: [0, 1, 65_537, 1_048_577, 9 << 20])
    func `a file arrives byte for byte`(size: Int) async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let file = try TestFile(count: size)
        let delegate = RecordingDelegate()
        let answer = try await withTransport(tls: TLSFiles(authorities: server.authority)) { transport in
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

    @Test func `an authority nobody named is not trusted`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let error = try await Self.error(at: server, tls: TLSFiles())
        #expect(error?.failure.category == .permanent)
        #expect(error?.failure.hint?.contains("tls.authorities") == true)
    }

    @Test func `a certificate for another host is not trusted`() async throws {
        let server = try await TLSServer.start(names: "DNS:other.example")
        let error = try await Self.error(at: server, tls: TLSFiles(authorities: server.authority))
        #expect(error?.failure.category == .permanent)
    }

    @Test func `another authority is not enough`() async throws {
        let server = try await TLSServer.start(names: "IP:127.0.0.1")
        let other = try await TLSServer.start(names: "IP:127.0.0.1")
        let error = try await Self.error(at: server, tls: TLSFiles(authorities: other.authority))
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

    private static func error(at server: TLSServer, tls: TLSFiles) async throws -> TransportError? {
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

struct TLSFilesTests {
    @Test(arguments: [
        TLSFiles(authorities: "/no/such.pem"), TLSFiles(certificate: "/no/such.pem"),
        TLSFiles(key: "/no/such.pem"),
    ])
    func `a file that cannot be used is a failure that names it`(files: TLSFiles) {
        #expect { try HTTPClientTransport(tls: files) } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return failure.category == .permanent && failure.summary.contains("/no/such.pem")
        }
    }
}

extension RecordingDelegate.Call {
    var total: ByteCount? { if case .sent(_, let total, _) = self { total } else { nil } }
}
