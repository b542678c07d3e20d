import FerryProtocols
import FerryRequests
import FerryTestSupport
import FerryTransfer
import HTTPTypes
import Testing

struct RedactedFailureTests {
    @Test func `a failure that leaves a session repeats no secret of its requests`() async throws {
        let transport = ScriptedTransport { request in
            let said = "\(request.fields[.authorization] ?? "") \(request.url) of the body: geheim-body"
            return .success(
                TransportResponse(
                    status: 403, fields: [.contentType: "text/plain"], body: Array(said.utf8), bodySent: 0))
        }
        var configuration = Session.Configuration(headers: [.authorization: "Bearer geheim-header"])
        configuration.secrets = ["geheim-body"]
        let session = Session(configuration, transport: transport)
        let request = TransportRequest(method: .get, url: "https://h/f?sig=geheim-query")
        let thrown = await #expect(throws: RequestFailure.self) { _ = try await session.perform(request) }
        let failure = try #require(thrown)
        #expect(failure.failure.summary.hasSuffix("Bearer … https://h/f?sig=… of the body: …"))
        #expect(!"\(failure)".contains("geheim"))
    }
}
