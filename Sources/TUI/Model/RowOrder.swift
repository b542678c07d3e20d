import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// In which order the rows stand. Uploads run in the order of the queue, whatever is shown.
struct RowOrder: Hashable, Sendable {
    enum Key: CaseIterable, Hashable, Sendable { case queue, name, size, progress, rate, remaining, added }

    var key: Key
    var isAscending: Bool

    static let queue = RowOrder(.queue)

    /// The way round that people want first: the largest, the fastest, the newest; but the nearest end.
    init(_ key: Key) {
        self.key = key
        isAscending =
            switch key {
            case .queue, .name, .remaining: true
            case .size, .progress, .rate, .added: false
            }
    }

    var reversed: RowOrder {
        var order = self
        order.isAscending.toggle()
        return order
    }

    var title: String {
        switch key {
        case .queue: "queue"
        case .name: "name"
        case .size: "size"
        case .progress: "progress"
        case .rate: "rate"
        case .remaining: "ETA"
        case .added: "time added"
        }
    }

    /// True if rows change places while uploads run.
    var isByPace: Bool {
        switch key {
        case .progress, .rate, .remaining: true
        case .queue, .name, .size, .added: false
        }
    }

    /// What rows are compared by, where that is a number: what comes first has the lower key. Zero for all where it is none.
    func key(of upload: Upload, pace: Pace?) -> UInt64 {
        let number: Double
        switch key {
        case .queue, .name: return 0
        case .size: number = Double(upload.identity.size)
        case .progress: number = Self.progress(of: upload, sent: pace?.sent)
        case .rate: number = pace?.rate ?? -1
        case .remaining: number = pace?.remaining ?? .infinity
        case .added: number = upload.added.timeIntervalSince1970
        }
        // Bits of positive numbers are in order, those of negative ones the other way round; there are two zeros.
        let bits = (number + 0).bitPattern
        let ordered = number < 0 ? ~bits : bits | 1 << 63
        return isAscending ? ordered : ~ordered
    }

    private static func progress(of upload: Upload, sent: ByteCount?) -> Double {
        if case .done = upload.state { return 1 }
        return Double(max(upload.confirmed, sent ?? 0)) / Double(max(1, upload.size))
    }
}

/// How a running upload moves, as far as rows are put in order by it.
struct Pace: Hashable, Sendable {
    var sent: ByteCount
    /// Bytes per second.
    var rate: Double?
    /// Seconds.
    var remaining: Double?
}
