import FerryFiles
import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Resources in which a server repeats a secret of the request.
struct AttemptSecretTests {
    private static let token = "canary+bearer/1a2b3c4d="
    private let log = AttemptLog()

    private func outcome(after step: Step) async throws -> UploadAttempt.Outcome {
        let uploadProtocol = ScriptedProtocol(.send(.part(1, 0..<10))) { _ in step }
        return try await log.run(
            uploadProtocol, of: try TestFile(count: 10), headers: [.authorization: "Bearer \(Self.token)"]
        ) { _ in .success(TransportResponse(status: 201)) }
    }

    private var recorded: [AttemptLog.Entry] {
        log.all.filter { if case .recorded = $0 { true } else { false } }
    }

    @Test(arguments: [token, token.percentEncoded(), Data(token.utf8).base64EncodedString()])
    func `a resource with a token in its address is not recorded, and the attempt fails`(form: String)
        async throws
    {
        let resource = UploadResource(url: "http://server.example/f?again=\(form)")
        let outcome = try await outcome(
            after: .failed(UploadFailure(.server, "busy"), notes: [.resource(resource)]))
        #expect(outcome.failure?.category == .permanent)
        #expect(recorded == [])
    }

    @Test func `a resource with a token in its address is not recorded after the last step`() async throws {
        let resource = UploadResource(url: "http://server.example/\(Self.token.percentEncoded())")
        let outcome = try await outcome(after: .done(Receipt(), notes: [.resource(resource)]))
        #expect(outcome.receipt != nil)
        #expect(recorded == [])
    }

    @Test func `a resource is recorded without its facts that repeat a token`() async throws {
        let memory: ResumeMemory = ["old": "7", "oldTag": "\"\(Self.token)\""]
        let resource = UploadResource(url: "http://server.example/f", memory: memory)
        _ = try await outcome(after: .failed(UploadFailure(.server, "busy"), notes: [.resource(resource)]))
        let rest = UploadResource(url: resource.url, memory: ["old": "7"])
        #expect(recorded == [.recorded(rest, durably: true)])
    }

    @Test func `a resource may have a token that only begins like the request's`() {
        let known = KnownSecrets(Secrets(["eyJhbGciOiJSUzI1NiJ9.our-own"]))
        #expect(known.redact(UploadResource(url: "http://h/data/eyJhbGciOiJSUzI1NiJ9.another")) != nil)
    }

    @Test func `a resource may have a token of its own address`() {
        let resource = UploadResource(url: "http://h/f?session=0123456789")
        var secrets = Secrets()
        secrets.add(TransportRequest(method: .patch, url: resource.url))
        let known = KnownSecrets(secrets)
        #expect(known.redact(resource) != nil)
    }

    @Test func `a resource may have a secret that is a word of the file's name`() {
        let known = KnownSecrets(Secrets(["holidays"]))
        let resource = UploadResource(url: "http://h/holidays.mov")
        #expect(known.redact(resource) == nil)
        #expect(known.redact(resource, besides: ["http://h/", "holidays.mov"]) != nil)
    }

    @Test func `names of leftovers have no secret and are short lines`() {
        let known = KnownSecrets(Secrets([Self.token]))
        let names = ["in/\(Self.token).mov", "a\u{1B}[2J\u{202E}b", String(repeating: "x", count: 300)]
        let report = CheckReport(
            leftovers: names.map { .init(name: $0, resource: UploadResource(url: "http://h/")) })
        let shown = known.redact(report).value.leftovers.map(\.name)
        #expect(shown == ["in/….mov", "a[2Jb", String(repeating: "x", count: 199) + "…"])
    }
}
