import FerryProtocols
import FerryTestSupport
import FerryTransfer
import Foundation
import HTTPTypes
import Synchronization
import Testing

/// Tests what events show of signed requests.
struct S3RedactionTests {
    private final class Collector: EventMonitor {
        private let lines = Mutex("")
        var text: String { lines.withLock { $0 } }
        func receive(_ event: TransferEvent, of context: RequestContext) {
            lines.withLock { $0 += "\(event) \(context)\n" }
        }
    }

    @Test func `no event holds a signature, a credential or a session token`() async throws {
        let credentials = S3Credentials(
            accessKey: "ASIAPLANTED0KEY", secretKey: "planted-secret-key",
            sessionToken: "planted-session-token")
        let collector = Collector()
        let log = S3Stage.Log()
        let interceptor = S3Interceptor(
            for: "https://bucket.example/",
            credentials: S3CredentialStore { () async throws(UploadFailure) in credentials },
            now: { exampleDay })
        // Servers repeat parts of a refused request in their responses.
        let transport = ScriptedTransport { request in
            _ = log.append(request)
            let said = (request.field("authorization") ?? "") + (request.field("x-amz-security-token") ?? "")
            return .success(.s3(403, "SignatureDoesNotMatch", "<StringToSign>\(said)</StringToSign>"))
        }
        let sender = RequestSender(
            over: transport, interceptor: Interceptor(interceptors: [interceptor]), monitors: [collector])
        _ = try? await sender.ask(Exchange(.get, "https://bucket.example/key"))
        let field = try #require(log.all.first?.field("authorization"))
        let signature = try #require(field.split(separator: "=").last)
        #expect(collector.text.contains("bucket.example"))
        for secret in ["ASIAPLANTED0KEY", "planted-secret-key", "planted-session-token", String(signature)] {
            #expect(!collector.text.contains(secret), "\(secret)")
        }
    }

    @Test func `a presigned address is shown without its signature and credential`() {
        var signer = SigV4Signer()
        let scope = SigV4Scope(exampleDay, region: "us-east-1")
        let request = SigV4Request(
            method: "GET", path: "/key", query: nil, fields: [("host", "bucket.example")],
            payload: "UNSIGNED-PAYLOAD")
        let (query, signature) = signer.presign(request, with: .temporary("TOKEN1"), in: scope, expiry: 60)
        let shown = RequestSummary(
            TransportRequest(method: .get, url: "https://bucket.example/key?\(query)")
        ).url
        #expect(shown.hasPrefix("https://bucket.example/key?X-Amz-Algorithm="))
        for secret in [signature.text, "ASIATOKEN1", "TOKEN1"] { #expect(!shown.contains(secret)) }
    }
}
