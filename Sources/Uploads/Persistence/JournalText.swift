/// The bytes of journal records to append, in several arrays: one array of many uploads would have to be copied together.
struct JournalText {
    /// The number of bytes up to which a record is joined with the one before it, so that one call writes both.
    private static let joined = 1 << 20

    private(set) var pieces: [[UInt8]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var bytes: [UInt8] { pieces.count == 1 ? pieces[0] : Array(pieces.joined()) }

    mutating func append(_ record: [[UInt8]]) {
        for piece in record {
            count += piece.count
            if let last = pieces.indices.last, pieces[last].count + piece.count <= Self.joined {
                pieces[last] += piece
            } else {
                pieces.append(piece)
            }
        }
    }
}
