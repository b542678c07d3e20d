import FerryProtocols
import FerryUploads

/// The key and the direction by which the rows are sorted.
struct RowOrder: Hashable, Sendable {
    enum Key: CaseIterable, Hashable, Sendable { case queue, name, size, progress, rate, remaining, added }

    var key: Key
    var isAscending: Bool

    static let queue = RowOrder(.queue)

    /// Creates the sort in the key's usual direction: the largest, fastest or newest upload comes first.
    init(_ key: Key) {
        self.key = key
        isAscending = [.queue, .name, .remaining].contains(key)
    }

    var reversed: RowOrder {
        var order = self
        order.isAscending.toggle()
        return order
    }

    var title: String {
        switch key {
        case .queue, .name, .size, .progress, .rate: "\(key)"
        case .remaining: "ETA"
        case .added: "time added"
        }
    }

    /// True if the sort depends on progress, so that rows move while uploads run.
    var isByRate: Bool { [.progress, .rate, .remaining].contains(key) }

    func row(of upload: Upload, rate: TransferRate? = nil) -> Row {
        let name = key == .name ? NaturalOrder.key(of: upload.path.bytes) : []
        return Row(position: upload.position, key: sortKey(of: upload, name: name, rate: rate), name: name)
    }

    private func sortKey(of upload: Upload, name: [UInt8], rate: TransferRate?) -> UInt64 {
        let number: Double
        switch key {
        case .queue: return 0
        case .name:
            // The first eight bytes distinguish most names, so they are the first sort key.
            let start =
                name.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - min(8, name.count)))
            return isAscending ? start : ~start
        case .size: number = Double(upload.identity.size)
        case .progress: number = Self.progress(of: upload, sent: rate?.sent)
        case .rate: number = rate?.rate ?? -1
        case .remaining: number = rate?.remaining ?? .infinity
        case .added: number = upload.added.timeIntervalSince1970
        }
        // Bit patterns sort like positive numbers, and in reverse for negative ones. Adding 0 turns -0 into 0.
        let bits = (number + 0).bitPattern
        let sortable = number < 0 ? ~bits : bits | 1 << 63
        return isAscending ? sortable : ~sortable
    }

    private static func progress(of upload: Upload, sent: ByteCount?) -> Double {
        if case .done = upload.state { return 1 }
        return Double(max(upload.confirmed, sent ?? 0)) / Double(max(1, upload.size))
    }
}

/// The values of a running upload by which rows can be sorted.
struct TransferRate: Hashable, Sendable {
    var sent: ByteCount
    /// The rate in bytes per second, and the remaining time in seconds.
    var rate: Double?
    var remaining: Double?
}
