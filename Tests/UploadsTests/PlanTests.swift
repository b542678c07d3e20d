import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// The batch of an upload and what must be so before it starts, as they cross to other processes.
struct PlanTests {
    private static func coded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    private static func new(batch: String? = nil, start: Upload.StartCondition? = nil) -> NewUpload {
        let upload = Upload.make()
        return NewUpload(
            path: upload.path, identity: upload.identity, target: upload.target, batch: batch, start: start)
    }

    /// As an engine of before decodes it.
    private struct FormerUpload: Codable {
        var path: LocalPath
        var identity: FileIdentity
        var target: Upload.Target
    }

    @Test func `what is added without a plan is understood by engines of before, and they by us`() throws {
        let former = try JSONDecoder().decode(FormerUpload.self, from: JSONEncoder().encode(Self.new()))
        #expect(former.target == Self.new().target)
        #expect(
            try JSONDecoder().decode(NewUpload.self, from: JSONEncoder().encode(former)) == Self.new())
    }

    @Test(arguments: [
        (String?.some("night"), Upload.StartCondition?.none),
        (nil, Upload.StartCondition(notBefore: Date(timeIntervalSince1970: 1_800_000_000))),
        ("night", Upload.StartCondition(after: [1...3])),
    ])
    func `what is planned is refused by an engine that knows of no plans`(
        batch: String?, start: Upload.StartCondition?
    ) throws {
        let new = Self.new(batch: batch, start: start)
        #expect(try Self.coded(new) == new)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(FormerUpload.self, from: JSONEncoder().encode(new))
        }
    }

    @Test func `an upload of an engine that knows of no plans has none`() throws {
        var upload = Upload.make()
        let plain = try JSONEncoder().encode(upload)
        let members = try #require(try JSONSerialization.jsonObject(with: plain) as? [String: Any])
        #expect(
            Set(members.keys) == [
                "id", "rank", "path", "identity", "target", "state", "resource", "tries", "added",
            ])
        #expect(try JSONDecoder().decode(Upload.self, from: plain) == upload)
        upload.batch = "night"
        upload.start = .init(after: [1...3])
        upload.tries.attempts = 2
        upload.resource = Resource(url: "https://host/1", confirmed: 5)
        #expect(try Self.coded(upload) == upload)
    }

    @Test(arguments: [
        (3, false), (4, true), (5, false), (7, true), (9, true), (10, false), (20, true), (21, false),
    ])
    func `an upload waits for the numbers within its ranges`(id: Upload.ID, waits: Bool) {
        #expect(Upload.StartCondition(after: [4...4, 7...9, 20...20]).waits(for: id) == waits)
    }

    @Test func `a name of a batch is neither empty nor long, and has no control characters`() {
        #expect(Upload.flaw(ofBatch: "Fotos 2026 📷") == nil)
        #expect(Upload.flaw(ofBatch: String(repeating: "ä", count: 64)) == nil)
        #expect(Upload.flaw(ofBatch: String(repeating: "a", count: 65)) != nil)
        #expect(Upload.flaw(ofBatch: "") != nil)
        #expect(Upload.flaw(ofBatch: "a\nb") != nil)
        #expect(Upload.flaw(ofBatch: "a\u{1B}[2J") != nil)
    }
}
