import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

private let url = "http://server.example/files/7"
private let start = Date(timeIntervalSince1970: 1_795_215_600)

/// Returns the resource that an earlier attempt recorded for an upload that replaced a dropped one.
private func resource(
    _ fields: [String: String] = [:], droppedAt: Date?, confirmed: ByteCount = 4
) -> UploadResource {
    var resource = UploadResource(url: url, confirmed: confirmed, memory: ResumeMemory(fields))
    resource.marks.droppedAt = droppedAt
    return resource
}

private func tus(after seconds: Double) -> TusUpload {
    var tus = TusUpload(item: .make(), options: .init())
    tus.dropped.now = { start.addingTimeInterval(seconds) }
    return tus
}

private func resumable(after seconds: Double) -> ResumableUpload {
    var upload = ResumableUpload(item: .make(), options: .init())
    upload.dropped.now = { start.addingTimeInterval(seconds) }
    return upload
}

/// Tests uploads that the server drops repeatedly, each time in another attempt.
struct DroppedUploadTests {
    @Test func `P8 the upload that replaces a dropped one notes when that was, and begins at nothing`()
        throws
    {
        var tus = tus(after: 0)
        _ = tus.start(resource: resource(droppedAt: nil), capabilities: .tusCore)
        let lost = tus.receive(.answer(404))
        #expect(lost.notes == [.serverLost(4)])
        let noted = try #require(tus.receive(.answer(201, [.location: "8"])).notedResource ?? nil)
        #expect(noted.url == "http://server.example/files/8")
        #expect(noted.marks.droppedAt == start)
        #expect(noted.confirmed == 0)
    }

    @Test(arguments: [404, 410, 403], [1, 3599, -3599] as [Double])
    func `P8 an upload that is dropped a second time within an hour fails, whatever lies between`(
        status: Int, seconds: Double
    ) {
        var tus = tus(after: seconds)
        _ = tus.start(resource: resource(droppedAt: start), capabilities: .tusCore)
        let step = tus.receive(.answer(status))
        #expect(step.failure?.category == .permanent)
        #expect(
            step.failure?.summary
                == "the server no longer knows the upload, for the second time within an hour")
        #expect(step.failure?.hint?.contains("retry") == true)
        #expect(step.notes == [.resource(nil)])
    }

    @Test(arguments: [3600, 86_400, -3600] as [Double])
    func `P8 an upload that is dropped an hour later begins anew`(seconds: Double) throws {
        var tus = tus(after: seconds)
        _ = tus.start(resource: resource(droppedAt: start), capabilities: .tusCore)
        #expect(tus.receive(.answer(404)).exchange?.method == .post)
        let noted = try #require(tus.receive(.answer(201, [.location: "8"])).notedResource ?? nil)
        #expect(noted.marks.droppedAt == start.addingTimeInterval(seconds))
    }

    @Test(arguments: [(3599, true), (3600, false)] as [(Double, Bool)])
    func `P8 a resumable upload fails the second time within an hour, and begins anew later`(
        seconds: Double, fails: Bool
    ) throws {
        var upload = resumable(after: seconds)
        _ = upload.start(
            resource: resource(["interop": "8"], droppedAt: start), capabilities: .newestResumable)
        let step = upload.receive(.answer(404))
        #expect((step.failure?.category == .permanent) == fails)
        #expect((step.exchange?.method == .post) == !fails)
    }

    @Test(arguments: ["google", "graph"])
    func `P8 a session that replaced a dropped one and is gone again ends the upload`(name: String) throws {
        let entry = try #require(ProtocolCatalog.entry(named: name))
        let url =
            name == "graph"
            ? "https://graph.microsoft.com/v1.0/me/drive/root:/in/{name}:/createUploadSession"
            : "https://storage.googleapis.com/upload/storage/v1/b/box/o?uploadType=resumable"
        var upload = entry.make(.make(url: url), .init())
        let step = upload.start(resource: resource(droppedAt: Date()), capabilities: nil)
        let failure = upload.receive(.answer(404), to: try #require(step.exchange)).failure
        #expect(failure?.summary.hasSuffix("for the second time within an hour") == true)
    }

    @Test(arguments: ["", "soon", "1e3", "99999999999999999999"])
    func `P8 a time that cannot be read is none`(text: String) {
        var noted = resource(droppedAt: start)
        for key in noted.memory.members.keys { noted.memory[key] = text }
        #expect(noted.marks.droppedAt == nil)
    }

    @Test func `P9 confirmed bytes count for one upload, and the next one's smaller offset is no loss`()
        throws
    {
        var tus = tus(after: 0)
        _ = tus.start(resource: resource(droppedAt: nil, confirmed: 9), capabilities: .tusCore)
        _ = tus.receive(.answer(404))
        _ = tus.receive(.answer(201, [.location: "8"]))
        _ = tus.receive(.answer(409))
        let step = tus.receive(.answer(200, [.uploadOffset: "2"]))
        #expect(step.notes.contains { if case .serverLost = $0 { true } else { false } } == false)
        #expect(step.notedResource??.confirmed == 2)
    }
}
