/// Which bytes of a file are which part: equal parts, and a last one of any size.
struct S3PartPlan: Hashable, Sendable {
    static let smallestPart: ByteCount = 5 << 20
    static let largestPart: ByteCount = 5 << 30
    static let mostParts = 10_000
    /// Where planning begins if nothing else is asked for.
    static let usualPart: ByteCount = 8 << 20

    let size: ByteCount
    let partSize: ByteCount

    /// A part size of an earlier attempt; nil if no such plan was ever made.
    init?(size: ByteCount, keeping partSize: ByteCount) {
        guard size >= 0, (1...Self.largestPart).contains(partSize) else { return nil }
        self.size = size
        self.partSize = partSize
        guard count <= Self.mostParts else { return nil }
    }

    /// The part size that is asked for, as near as S3 allows, doubled until the parts are few enough.
    ///
    /// - Parameters:
    ///   - smallest: What this server wants at least, if it said so.
    ///   - most: How many parts this server takes.
    /// - Throws: `permanent` if no plan can hold the file.
    static func make(
        size: ByteCount, asked: ByteCount? = nil, smallest: ByteCount = smallestPart,
        most: Int = mostParts
    ) throws(UploadFailure) -> S3PartPlan {
        let most = max(1, min(most, mostParts))
        var partSize = min(largestPart, max(smallestPart, smallest, asked ?? usualPart))
        while partCount(size, partSize) > most, partSize < largestPart {
            partSize = min(largestPart, partSize * 2)
        }
        guard partCount(size, partSize) <= most else {
            throw UploadFailure(
                .permanent,
                "the file has \(ByteFormat.sentence(size)), and S3 takes "
                    + "\(ByteFormat.sentence(ByteCount(most) * largestPart)) in \(most) parts at most there",
                hint: "split the file, or use another destination")
        }
        return S3PartPlan(size: max(0, size), partSize: partSize)
    }

    /// At least 1: an empty file has one empty part.
    var count: Int { Self.partCount(size, partSize) }

    /// The bytes of part `number`, which counts from 1; nil if there is no such part.
    func range(of number: Int) -> Range<ByteCount>? {
        guard (1...count).contains(number) else { return nil }
        let start = ByteCount(number - 1) * partSize
        return start..<min(size, start + partSize)
    }

    private init(size: ByteCount, partSize: ByteCount) {
        self.size = size
        self.partSize = partSize
    }

    private static func partCount(_ size: ByteCount, _ partSize: ByteCount) -> Int {
        guard size > 0 else { return 1 }
        return Int(clamping: (size - 1) / partSize + 1)
    }
}
