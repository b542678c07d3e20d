import FerryStateSimulation
import Testing

@testable import FerryUploads

/// Tests records that are decoded in several chunks, on other cores.
struct RecordDecoderTests {
    /// The number of records, which have more than 3 MiB together.
    private static let count = 10_000

    private func decoder(readsNewer: Bool = false, breaking broken: Set<Upload.ID> = []) -> RecordDecoder {
        let decoder = RecordDecoder(in: "/state", length: 0, readsNewer: readsNewer)
        for id in 1...Self.count {
            var writer = JSONWriter()
            if broken.contains(id) {
                writer.raw("{\"id\":\(id)}".utf8)
            } else {
                var unknown = UnknownFields()
                if id == 7 { unknown.upload = Array(",\"x\":1".utf8) }
                writer.upload(.make(id, url: "https://example.com/a-long-folder/\(id % 3)"), unknown: unknown)
            }
            writer.bytes.withUnsafeBufferPointer { decoder.take($0, from: .init(file: "a", offset: id)) }
        }
        return decoder
    }

    @Test func `a queue that is decoded in several parts comes back in its order, with what is not known`()
        throws
    {
        let decoder = decoder()
        try decoder.finish()
        #expect(decoder.uploads.map(\.id) == Array(1...Self.count))
        #expect(decoder.uploads.allSatisfy { $0.target.url.hasSuffix("/\($0.id % 3)") })
        #expect(decoder.unknown.keys.sorted() == [7])
    }

    @Test(arguments: [9000, 3501])
    func `the first of two invalid records is named, whichever was decoded first`(second: Int) {
        let decoder = decoder(breaking: [3500, second])
        let error = #expect(throws: JournalError.self) { try decoder.finish() }
        #expect(error?.summary.contains("/state/a") == true)
        guard case .damaged(_, let byte, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(byte == 3500 + "{\"id\":3500}".utf8.count)
    }

    @Test func `for reading alone, records that are not understood are counted and passed over`() throws {
        let decoder = decoder(readsNewer: true, breaking: [3500, 9000])
        try decoder.finish()
        #expect(decoder.uploads.count == Self.count - 2)
        #expect(decoder.notUnderstood == 2)
    }
}
