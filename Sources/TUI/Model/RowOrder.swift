import Foundation
import Transfer
import UploadProtocols
import Uploads

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

    /// What rows are compared by.
    func value(of upload: Upload, pace: Pace?) -> SortValue {
        switch key {
        case .queue: .number(Double(upload.rank))
        case .name: .text(Self.natural(upload.path.name))
        case .size: .number(Double(upload.size))
        case .progress: .number(Self.progress(of: upload, sent: pace?.sent))
        case .rate: .number(pace?.rate ?? -1)
        case .remaining: .number(pace?.remaining ?? .infinity)
        case .added: .number(upload.added.timeIntervalSince1970)
        }
    }

    private static func progress(of upload: Upload, sent: ByteCount?) -> Double {
        if case .done = upload.state { return 1 }
        return Double(max(upload.confirmed, sent ?? 0)) / Double(max(1, upload.size))
    }

    /// So that `file10` comes after `file9` and capital letters count as small ones: each run of digits begins with the
    /// number of its digits.
    private static func natural(_ name: String) -> [UInt8] {
        var (bytes, digits) = ([UInt8](), [UInt8]())
        func flush() {
            guard !digits.isEmpty else { return }
            let number = digits.drop { $0 == UInt8(ascii: "0") }
            bytes.append(UInt8(ascii: "0"))
            bytes.append(UInt8(clamping: number.count))
            bytes += number
            digits = []
        }
        bytes.reserveCapacity(name.utf8.count + 4)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(byte)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                flush()
                bytes.append(byte + 32)
            default:
                flush()
                bytes.append(byte)
            }
        }
        flush()
        return bytes
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

/// What two rows are compared by. Values of one order are all of one kind.
enum SortValue: Hashable, Sendable {
    case number(Double)
    case text([UInt8])

    static func < (left: SortValue, right: SortValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left.lexicographicallyPrecedes(right)
        case (.number, .text): true
        case (.text, .number): false
        }
    }
}
