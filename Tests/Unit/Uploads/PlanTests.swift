import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests that the batch and the start condition of an upload are encoded for other processes.
struct PlanTests {
    private static func coded<Value: Codable>(_ value: Value) throws -> Value {
        try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }

    private static func new(batch: String? = nil, start: Upload.StartCondition? = nil) -> NewUpload {
        let upload = Upload.make()
        return NewUpload(
            path: upload.path, identity: upload.identity, target: upload.target, batch: batch, start: start)
    }

    @Test(arguments: [
        (String?.none, Upload.StartCondition?.none), ("night", nil),
        (nil, Upload.StartCondition(notBefore: Date(timeIntervalSince1970: 1_800_000_000))),
        ("night", Upload.StartCondition(after: [1...3])),
    ])
    func `a new upload crosses with its batch and its start condition`(
        batch: String?, start: Upload.StartCondition?
    ) throws {
        var new = Self.new(batch: batch, start: start)
        new.path = LocalPath(bytes: [0x2F, 0xFF, 0x22, 0x0A])
        #expect(try Self.coded(new) == new)
    }

    @Test func `an upload crosses as the text of its record`() throws {
        var upload = Upload.make()
        upload.batch = "night"
        upload.start = .init(after: [1...3])
        upload.tries.attempts = 2
        upload.resource = UploadResource(url: "https://host/1", confirmed: 5)
        #expect(try Self.coded(upload) == upload)
        var writer = JSONWriter()
        writer.upload(upload, unknown: nil)
        let text = try JSONDecoder().decode(String.self, from: JSONEncoder().encode(upload))
        #expect(text == String(decoding: writer.bytes, as: UTF8.self))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Upload.self, from: JSONEncoder().encode(#"{"id":1}"#))
        }
    }

    @Test func `a name of a batch is neither empty nor long, and has no control characters`() {
        #expect(Upload.issue(ofBatch: "Fotos 2026 📷") == nil)
        #expect(Upload.issue(ofBatch: String(repeating: "ä", count: 64)) == nil)
        #expect(Upload.issue(ofBatch: String(repeating: "a", count: 65)) != nil)
        #expect(Upload.issue(ofBatch: "") != nil)
        #expect(Upload.issue(ofBatch: "a\nb") != nil)
        #expect(Upload.issue(ofBatch: "a\u{1B}[2J") != nil)
    }
}
