import FerryTestSupport
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryTransfer

/// Tests what an attempt leaves at the server and in the queue if its file changes.
struct AttemptOfChangedFileTests {
    @Test func `F1 the data of a changed file is deleted at the server, then forgotten`()
        async throws
    {
        let stage = try AttemptStage()
        let path = stage.file.path
        let outcome = try await stage.run { number, _ in
            guard number == 1 else { return .success(TransportResponse(status: 204)) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(
            outcome.failure?.summary == "\(path): edited while it was sent: was 10 B, is 11 B now")
        #expect(outcome.failure?.hint == "retry sends it as it is now")
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(tusUploadResource, durably: true), .request("DELETE"),
                .recorded(nil, durably: true),
            ])
    }

    @Test func `bytes that an attempt has deleted at the server are not reported as sent`() async throws {
        let stage = try AttemptStage()
        let path = stage.file.path
        let outcome = try await stage.run(resource: tusUploadResource) { number, _ in
            guard number == 1 else { return .success(TransportResponse(status: 204)) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return .success(TransportResponse(status: 200, fields: [.uploadOffset: "3"]))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(stage.log.all.last == .recorded(nil, durably: true))
        #expect(stage.log.out == 0)
    }

    @Test func `F1 data that could not be deleted at the server is not forgotten`() async throws {
        let stage = try AttemptStage()
        let path = stage.file.path
        let outcome = try await stage.run { number, _ in
            guard number == 1 else { return brokenLink(.notConnected, sent: 0) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return .success(TransportResponse(status: 201, fields: [.location: "/files/7"]))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(
            stage.log.all == [
                .request("POST"), .recorded(tusUploadResource, durably: true), .request("DELETE"),
            ])
    }

    @Test(arguments: [("10", true), ("3", false)])
    func `F1 a server that may have all of the file is asked before a change counts`(
        offset: String, isComplete: Bool
    ) async throws {
        let stage = try AttemptStage()
        let source = try stage.file.open()
        try SourceChangeTests.Change.isRewritten.make(at: stage.file.path)
        let outcome = try await stage.run(
            of: source, resource: tusUploadResource.withWholeBodySent(true)
        ) { number, _ in
            number == 1
                ? .success(TransportResponse(status: 200, fields: [.uploadOffset: offset]))
                : .success(TransportResponse(status: 204))
        }
        #expect((outcome.receipt != nil) == isComplete)
        #expect((outcome.failure?.category == .sourceChanged) == !isComplete)
        #expect(stage.log.all.contains(.request("DELETE")) == !isComplete)
        #expect(!stage.log.all.contains(.request("PATCH")))
    }

    /// Tests requests that finish an upload without content of the file: the completion of S3, MOVE, and the final
    /// request of tus concatenation.
    @Test(arguments: [Exchange.Body.none, .bytes([1, 2])], [false, true])
    func `F1 a finishing request without the file does not go out over a change`(
        body: Exchange.Body, isDuringAdaptation: Bool
    ) async throws {
        let stage = try AttemptStage()
        let path = stage.file.path
        let change: @Sendable () -> Void = { try? SourceChangeTests.Change.isRewritten.make(at: path) }
        let finish = Exchange(
            .post, "http://server.example/finish", body: body, traits: [.idempotent, .completes])
        let ask = Exchange(.get, "http://server.example/ask")
        let uploadProtocol = ScriptedProtocol(.send(ask), state: 0) { count, _, _ in
            count += 1
            return count == 1 ? .send(finish) : .done(Receipt())
        }
        let slow = AuthorizationInterceptor { () async throws(UploadFailure) in
            if isDuringAdaptation, stage.log.all.contains(.request("GET")) { change() }
            return "Bearer token"
        }
        let outcome = try await stage.run(uploadProtocol, adapters: [slow]) { _, _ in
            if !isDuringAdaptation { change() }
            return .success(TransportResponse(status: 200))
        }
        #expect(outcome.failure?.category == .sourceChanged)
        #expect(!stage.log.all.contains(.request("POST")))
    }

    @Test func `F1 a link that broke over a file that changed is about the file`() async throws {
        let stage = try AttemptStage()
        let path = stage.file.path
        let outcome = try await stage.run(resource: tusUploadResource) { number, _ in
            if number == 1 { return .success(TransportResponse(status: 200, fields: [.uploadOffset: "0"])) }
            try? SourceChangeTests.Change.grows.make(at: path)
            return brokenLink(sent: 3)
        }
        #expect(outcome.failure?.category == .sourceChanged)
    }
}
