struct LineReader {
    private let file: any StateFile
    private var buffer: [UInt8]
    private var unread = 0..<0
    /// The position of the line that `next` returns at its next call, in bytes from the start of the file.
    private(set) var offset = 0
    let length: Int

    init(_ file: any StateFile) throws(SystemCallError) {
        self.file = file
        length = try file.length()
        buffer = [UInt8](repeating: 0, count: min(max(length, 1), 1 << 20))
    }

    func withBytes<Result>(
        _ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) throws(JournalError) -> Result
    ) throws(JournalError) -> Result {
        try buffer.withUnsafeBufferPointer { bytes throws(JournalError) in
            try body(UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }

    /// Reads the next line. Returns its range in `buffer` with the line break; nil if there is no other line break.
    mutating func next(_ path: String) throws(JournalError) -> Range<Int>? {
        var searched = 0
        while true {
            let start = unread.lowerBound + searched
            let end = buffer.withUnsafeBufferPointer {
                UnsafeBufferPointer(rebasing: $0[..<unread.upperBound]).firstLineBreak(from: start)
            }
            if let end {
                let line = unread.lowerBound..<(end + 1)
                unread = (end + 1)..<unread.upperBound
                offset += line.count
                return line
            }
            searched = unread.count
            guard offset + unread.count < length else { return nil }
            guard unread.count <= 2 * JournalRecord.maximumSize else {
                throw .damaged(path: path, byte: offset, reason: "the line is too long")
            }
            try fill(path)
        }
    }

    /// Moves the unread bytes to the start of `buffer`, which is doubled if they fill it, and reads more behind them.
    private mutating func fill(_ path: String) throws(JournalError) {
        if unread.lowerBound > 0 {
            buffer.replaceSubrange(0..<unread.count, with: Array(buffer[unread]))
            unread = 0..<unread.count
        }
        if unread.count == buffer.count { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
        let position = offset + unread.count
        let used = unread.count
        let result = buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(SystemCallError) in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[used...]), at: position)
            }
        }
        switch result {
        case .success(0): throw .damaged(path: path, byte: position, reason: "the file became shorter")
        case .success(let count): unread = 0..<(used + count)
        case .failure(let error): throw .failed(call: error.call, path: path, code: error.code.rawValue)
        }
    }
}
