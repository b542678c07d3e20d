import Foundation

/// Files whose every byte follows from a seed and its offset, so that any part can be checked without the file.
///
/// The pattern repeats only after a length that is no multiple of any buffer size, so a piece at the wrong offset
/// shows.
public struct PatternFile: Sendable {
    public let path: String
    public let count: Int
    private let period: [UInt8]
    /// The range of zeros in a sparse file; empty in a full one.
    private let hole: Range<Int>

    // A prime, about 64 KiB.
    private static let periodLength = 65_537
    private static let writeSize = 16 * periodLength

    /// Writes the file.
    /// - Parameters:
    ///   - count: Its size in bytes.
    ///   - isSparse: Leaves all but the first and the last 64 KiB as a hole, which reads as zeros and takes no room.
    public init(at path: String, count: Int, seed: UInt64 = 1, isSparse: Bool = false) throws {
        self.path = path
        self.count = count
        period = Self.period(seed: seed)
        let edge = 65_536
        hole = isSparse && count > 2 * edge ? edge..<(count - edge) : 0..<0
        guard FileManager.default.createFile(atPath: path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        // Moves to that offset as well.
        try file.truncate(atOffset: UInt64(count))
        try file.seek(toOffset: 0)
        var position = 0
        while position < count {
            if hole.contains(position) {
                position = hole.upperBound
                try file.seek(toOffset: UInt64(position))
            }
            let limit = position < hole.lowerBound ? hole.lowerBound : count
            let end = min(position + Self.writeSize, limit)
            try file.write(contentsOf: Data(bytes(position..<end)))
            position = end
        }
    }

    /// Returns the bytes of the file in a range.
    public func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            if hole.contains(position) {
                let end = min(hole.upperBound, range.upperBound)
                bytes.append(contentsOf: repeatElement(0, count: end - position))
                position = end
            } else {
                let start = position % period.count
                let limit =
                    position < hole.lowerBound ? min(hole.lowerBound, range.upperBound) : range.upperBound
                let length = min(period.count - start, limit - position)
                bytes.append(contentsOf: period[start..<(start + length)])
                position += length
            }
        }
        return bytes
    }

    /// The first offset at which `bytes`, taken to begin at `offset`, differ from this file; nil if they do not.
    public func firstDifference(from bytes: [UInt8], at offset: Int = 0) -> Int? {
        let end = min(offset + bytes.count, count)
        let expected = self.bytes(min(offset, end)..<end)
        if expected == bytes { return nil }
        let place = zip(expected, bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        return offset + (place ?? expected.count)
    }

    private static func period(seed: UInt64) -> [UInt8] {
        var state = seed
        return (0..<periodLength).map { _ in
            // Knuth's MMIX generator; the high bits are the good ones.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
