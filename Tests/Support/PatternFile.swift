import Foundation

/// A file whose bytes follow from a seed and their offsets, so that a test can check any part without reading the file.
///
/// The period of the pattern is not a multiple of any buffer size, so bytes at a wrong offset are detected.
public struct PatternFile: Sendable {
    public let path: String
    public let count: Int
    private let period: [UInt8]
    /// The range of zeros in a sparse file; empty otherwise.
    private let hole: Range<Int>

    // A prime number near 64 KiB.
    private static let periodLength = 65_537
    private static let writeSize = 16 * periodLength

    /// Writes the file.
    /// - Parameters:
    ///   - count: Its size in bytes.
    ///   - isSparse: True if all but the first and the last 64 KiB is a hole, which reads as zeros and takes no disk
    ///     space.
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
        // This also moves the file's position to the end of the hole.
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

    /// Returns the bytes in a range of the file.
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

    /// Returns the first offset at which `bytes` differ from the file; nil if there is no difference.
    ///
    /// - Parameter offset: The offset of the first byte in the file.
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
            // Knuth's MMIX generator. Its high bits are more random than the low ones.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
