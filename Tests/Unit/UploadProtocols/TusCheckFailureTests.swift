import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests that the check of a tus destination fails in the cases in which an upload would fail.
struct TusCheckFailureTests {
    private func asked(_ reply: ExchangeOutcome, _ options: ProtocolOptions = .init()) -> (
        check: TusCheck, step: CheckStep
    ) {
        var check = TusCheck(url: "http://server.example/files/", options: options)
        _ = check.start()
        let step = check.receive(reply)
        return (check, step)
    }

    /// Returns the check of a server with these extensions, before the response to the creation.
    private func named(_ extensions: String) -> TusCheck {
        let (check, step) = asked(.answer(204, [.tusVersion: "1.0.0", .tusExtension: extensions]))
        #expect(step.exchange?.method == .post)
        return check
    }

    @Test(arguments: [401, 403, 404, 405, 503])
    func `a server that says what it offers and refuses a new upload fails`(status: Int) {
        var check = named("creation,termination")
        #expect(check.receive(.answer(status)).failure?.status == status)
    }

    @Test func `a server that makes an upload and does not say where fails`() {
        var check = named("creation")
        #expect(check.receive(.answer(201)).failure?.summary.contains("did not say where") == true)
    }

    @Test func `a new upload is deleted again where the server deletes uploads`() {
        var check = named("creation,termination")
        let step = check.receive(.answer(201, [.location: "7"]))
        #expect(step.exchange?.method == .delete)
        #expect(step.exchange?.url == UploadResource.tus.url)
        #expect(check.receive(.answer(204)).report?.findings.last == "it takes new uploads")
    }

    @Test(arguments: [ExchangeOutcome.answer(405), .broke(afterSending: 0)])
    func `an upload that the server does not delete is said to stay`(reply: ExchangeOutcome) {
        var check = named("creation,termination")
        _ = check.receive(.answer(201, [.location: "7"]))
        #expect(check.receive(reply).report?.findings.last?.contains("stays there") == true)
    }

    @Test func `a server that offers no termination gets no deletion`() {
        var check = named("creation")
        let step = check.receive(.answer(201, [.location: "7"]))
        #expect(step.report?.findings.last?.contains("stays there") == true)
    }

    @Test(arguments: [200, 404, 405, 500])
    func `an address that says nothing of tus fails where a creation does`(status: Int) {
        var (check, step) = asked(.answer(status))
        #expect(step.exchange?.method == .post)
        #expect(step.exchange?.body == Exchange.Body.none)
        step = check.receive(.answer(405))
        #expect(step.failure?.summary.contains("does not answer as a tus server") == true)
    }

    @Test func `an address that takes anything is no tus server`() {
        var (check, _) = asked(.answer(200))
        #expect(check.receive(.answer(201, [.location: "7"])).failure?.category == .permanent)
    }

    @Test
    func `a server that does not respond to OPTIONS is fine if it takes an upload, which is deleted again`() {
        var (check, step) = asked(.broke(afterSending: 0))
        #expect(step.exchange?.method == .post)
        step = check.receive(.answer(201, [.location: "7", .tusResumable: "1.0.0"]))
        #expect(step.exchange?.method == .delete)
        #expect(step.exchange?.url == UploadResource.tus.url)
        step = check.receive(.answer(404))
        #expect(step.report?.findings.last == "it takes new tus uploads all the same")
    }

    @Test func `a server that cannot be reached is a failure`() {
        #expect(asked(.broke(afterSending: nil)).step.failure?.category == .network)
    }

    @Test(
        arguments: [[.tusVersion: "1.0.0"], [.tusVersion: "1.0.0", .tusExtension: "creation"], [:]]
            as [HTTPFields])
    func `a checksum that the server does not offer fails`(fields: HTTPFields) {
        let failure = asked(.answer(204, fields), .init(checksum: .sha256)).step.failure
        #expect(failure?.summary == "the server cannot check what arrives by SHA-256")
    }
}

extension CheckStep {
    fileprivate var exchange: Exchange? { if case .send(let exchange) = self { exchange } else { nil } }
    fileprivate var report: CheckReport? { if case .finished(let report) = self { report } else { nil } }
    fileprivate var failure: UploadFailure? { if case .failed(let failure) = self { failure } else { nil } }
}
