/// The bytes of journal records to append, in several arrays: one array of many uploads would have to be copied together.
struct JournalText {
    /// The number of bytes up to which a record is joined with the one before it, so that one call writes both.
    private static let joined = 1 << 20

    private(set) var chunks: [[UInt8]] = []

    /// The number of bytes.
    var count: Int { chunks.reduce(0) { $0 + $1.count } }
    var isEmpty: Bool { chunks.isEmpty }
    var bytes: [UInt8] { chunks.count == 1 ? chunks[0] : Array(chunks.joined()) }

    mutating func append(_ record: [[UInt8]]) {
        for chunk in record {
            if let last = chunks.indices.last, chunks[last].count + chunk.count <= Self.joined {
                chunks[last] += chunk
            } else {
                chunks.append(chunk)
            }
        }
    }
}
