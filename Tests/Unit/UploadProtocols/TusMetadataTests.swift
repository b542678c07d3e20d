import Foundation
import Testing

@testable import FerryProtocols

struct TusMetadataTests {
    /// The vectors of metadata. An expected result may be "malformed" with a reason.
    private struct Vectors: Decodable {
        struct Encoding: Decodable {
            var pairs: [[String?]]
            var header: String?
        }

        struct Decoding: Decodable {
            var header: String
            var pairs: [[String]]?

            private enum CodingKeys: String, CodingKey { case header, pairs }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                header = try container.decode(String.self, forKey: .header)
                pairs = try? container.decode([[String]].self, forKey: .pairs)
            }
        }

        var encode: [Encoding]
        var decode: [Decoding]

        static func load() throws -> Vectors {
            let url = try #require(
                Bundle.module.url(forResource: "Vectors/tus-metadata", withExtension: "json"))
            return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: url))
        }
    }

    @Test func `pairs are written as the vectors say`() throws {
        for vector in try Vectors.load().encode {
            let entries = vector.pairs.map { TusMetadata.Entry($0[0] ?? "", $0[1] ?? "") }
            let metadata = try #require(TusMetadata(entries))
            #expect(metadata.header == vector.header)
        }
    }

    @Test func `fields are read as the vectors say`() throws {
        for vector in try Vectors.load().decode {
            let pairs = TusMetadata(header: vector.header)?.entries.map { [$0.key, $0.value] }
            #expect(pairs == vector.pairs, "\(vector.header)")
        }
    }

    @Test(arguments: ["", "a b", "a,b", "ü", "a\n", "a\u{7F}"])
    func `a key that the field cannot carry is refused`(key: String) {
        #expect(TusMetadata([TusMetadata.Entry(key, "v")]) == nil)
    }

    @Test(arguments: ["", ",", "a ,", "a,,b", " ", "k v=", "k =="])
    func `a malformed field is no metadata`(header: String) {
        #expect(TusMetadata(header: header) == nil)
    }

    @Test func `a value is found by its key`() {
        let metadata = TusMetadata(header: "filename YS50eHQ=,flag")
        #expect(metadata?["filename"] == "a.txt")
        #expect(metadata?["flag"] == "")
        #expect(metadata?["other"] == nil)
    }
}
