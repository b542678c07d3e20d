import FerryProtocols
import HTTPTypes
import Testing

@testable import FerryTransfer

struct TransferEventTests {
    @Test func `a secret that a server puts into the path of a URL is in no event`() {
        let request = TransportRequest(method: .patch, url: "http://h/files/canary-path-1a2b")
        let summary = RequestSummary(request)
        let events: [TransferEvent] = [
            .created(summary), .adapted(summary), .redirected(status: 307, to: request.url),
        ]
        for event in events {
            let text = "\(event.redacted(Secrets(["canary-path-1a2b"])))"
            #expect(text.contains("http://h/files/…"))
            #expect(!text.contains("canary"))
        }
    }
}
