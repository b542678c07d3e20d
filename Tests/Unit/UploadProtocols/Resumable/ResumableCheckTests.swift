import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

struct ResumableCheckTests {
    private func checked(_ status: Int, _ fields: HTTPFields) -> CheckReport? {
        var check = ResumableCheck(url: "http://server.example/files/{name}", options: .init())
        guard case .send(let exchange) = check.start(), exchange.method == .options,
            case .finished(let report) = check.receive(.answer(status, fields))
        else { return nil }
        return report
    }

    @Test func `a check reports the limits`() throws {
        let report = try #require(checked(204, [.uploadLimit: "max-size=1048576, max-age=7200"]))
        #expect(report.findings.contains("a file may have up to 1 MiB"))
        #expect(report.findings.contains("an unfinished upload is kept for 2 h"))
        #expect(report.capabilities?.maximumSize == 1 << 20)
    }

    @Test func `a server without the field may still take them`() throws {
        let report = try #require(checked(405, [:]))
        #expect(report.findings.first?.contains("does not say") == true)
        #expect(report.findings.last == "that it takes files was not tried")
        #expect(report.capabilities == nil)
    }

    @Test func `a check that is refused fails`() {
        var check = ResumableCheck(url: "http://server.example/", options: .init())
        _ = check.start()
        guard case .failed(let failure) = check.receive(.answer(401)) else {
            Issue.record("not failed")
            return
        }
        #expect(failure.category == .authentication)
    }
}
