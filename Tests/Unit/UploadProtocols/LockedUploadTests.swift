import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests responses that say that another request uses the upload, with the text of each server.
struct LockedUploadTests {
    private static let plain: HTTPFields = [.contentType: "text/plain; charset=utf-8"]

    /// The body of the response as the server sends it, with text around the known one.
    private static func body(_ row: LockedUpload) -> String { row.text.map { "\($0): more\n" } ?? "" }

    @Test(arguments: LockedUpload.known)
    func `an append by tus that meets another request is asked about again, and never fails`(
        row: LockedUpload
    ) throws {
        var (tus, _) = try TusUpload.appending(size: 100, from: 10)
        let failure = tus.receive(.answer(row.status, Self.plain, body: Self.body(row))).failure
        #expect(failure?.category == .uploadLocked, "\(row.status) \(row.text ?? "")")
        #expect(failure?.isTransient == true)
        #expect(failure?.retryAfter == LockedUpload.pause)
        #expect(failure?.summary.hasPrefix("the server still serves an earlier request") == true)
        // The next attempt asks for the offset and resumes there.
        var next = TusUpload(item: .make(size: 100), options: .init())
        #expect(next.start(resource: .tus, capabilities: .tusCore).exchange?.method == .head)
        #expect(next.receive(.answer(200, [.uploadOffset: "40"])).exchange?.body == .file(range: 40..<100))
    }

    @Test(arguments: LockedUpload.known)
    func `an append of a resumable upload that meets another request is asked about again`(
        row: LockedUpload
    ) throws {
        var (upload, _) = try ResumableUpload.appending()
        let step = upload.receive(.answer(row.status, Self.plain, body: Self.body(row)))
        #expect(step.failure?.category == .uploadLocked, "\(row.status) \(row.text ?? "")")
        #expect(step.notedResource??.wholeBodySent == false)
    }

    @Test func `an append in parts that meets another request keeps every part`() throws {
        let size = 2 * TusConcatenation.smallestPart
        var tus = TusUpload(item: .make(size: size), options: .init(parallelRequests: 2))
        var step = tus.start(resource: nil, capabilities: .tusJoining)
        var noted: UploadResource?
        for name in ["a", "b"] {
            step = tus.receive(.answer(201, [.location: name]), to: try #require(step.exchange))
            noted = step.notedResource ?? noted
        }
        step = tus.receive(
            .answer(400, Self.plain, body: "ERR_UPLOAD_INTERRUPTED: upload has been interrupted"),
            to: try #require(step.exchanges.last))
        #expect(step.failure?.category == .uploadLocked)
        #expect(TusConcatenation.urls(in: try #require(noted)).count == 2)
    }

    @Test func `a question that meets a lock is asked again`() {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: .tus, capabilities: .tusCore)
        #expect(tus.receive(.answer(423)).failure?.category == .uploadLocked)
    }

    @Test func `a question that gets a bare 400 is asked again, and not for ever`() throws {
        var tus = TusUpload(item: .make(), options: .init())
        _ = tus.start(resource: .tus, capabilities: .tusCore)
        #expect(tus.receive(.answer(400)).failure?.category == .server)
        var upload = ResumableUpload(item: .make(), options: .init())
        _ = upload.start(resource: .resumable(.eight), capabilities: .newestResumable)
        #expect(upload.receive(.answer(400)).failure?.category == .server)
    }

    @Test(arguments: ["ERR_INVALID_OFFSET: missing or invalid Upload-Offset header", "", "no"])
    func `any other 400 to an append is final`(said: String) throws {
        var (tus, _) = try TusUpload.appending()
        #expect(tus.receive(.answer(400, Self.plain, body: said)).failure?.category == .permanent)
    }
}
