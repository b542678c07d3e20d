/// Splits a stream of bytes into lines.
struct LineSplitter {
    enum Line: Hashable, Sendable {
        case text(String)
        /// A line beyond the limit, which was dropped.
        case tooLong
    }

    private let limit: Int
    private var line: [UInt8] = []
    private var isOverlong = false

    init(limit: Int = 4 << 20) { self.limit = limit }

    mutating func add(_ bytes: some Sequence<UInt8>) -> [Line] {
        var lines: [Line] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(take())
            } else if line.count < limit {
                line.append(byte)
            } else {
                isOverlong = true
            }
        }
        return lines
    }

    mutating func finish() -> Line? { line.isEmpty ? nil : take() }

    private mutating func take() -> Line {
        defer {
            line = []
            isOverlong = false
        }
        if isOverlong { return .tooLong }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return .text(String(decoding: line, as: UTF8.self))
    }
}
