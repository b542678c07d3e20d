import FerryTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols
@testable import FerryRequests
@testable import FerryTransfer

struct RetryPolicyInUseTests {
    // LeftOut.md, item 54
    @Test func `a policy with one retry makes two attempts, its wait apart`() async throws {
        let (clock, count) = (ManualClock(), Counter())
        var policy = RetryPolicy()
        (policy.limit, policy.scale, policy.jitter) = (1, .seconds(0.1), .none)
        let session = Session.making(
            ScriptedTransport { _ in
                count.add()
                return .failure(TransportError(.broken, UploadFailure(.network, "no answer in time")))
            }, retriers: [policy], clock: clock)
        let task = session.upload(.data([1]), to: "http://server.example/f", method: .put)
        try await clock.waitForSleepers()
        #expect(clock.deadlines == [.init(offset: .seconds(0.1))])
        clock.advance(by: .seconds(0.1))
        await #expect(throws: RequestFailure.self) { try await task.status() }
        #expect(count.value == 2)
    }

    // LeftOut.md, item 26
    @Test(arguments: ["success", "failure", "cancel"])
    func `an upload leaves the user's file where it is, and nothing beside it`(end: String) async throws {
        let file = try TestFile(count: 2 << 20)
        let server = try HostileServer([end == "success" ? .answer(201) : .reset(afterBodyBytes: 1000)])
        defer { server.stop() }
        var form = MultipartFormData()
        form.append(file: file.path, name: "film")
        let body = UploadBody.multipart(form, memoryThreshold: 0)
        let count = try await withTransport { transport in
            let task = Session.making(transport).upload(body, to: server.url())
            if end == "cancel" { task.cancel() }
            let status = try? await task.status()
            #expect((status == 201) == (end == "success"))
            return try FileManager.default.contentsOfDirectory(atPath: file.directory.path).count
        }
        #expect(count == 1)
        #expect(try Data(contentsOf: URL(filePath: file.path)).count == 2 << 20)
    }
}
