/// The division of a file into numbered parts of one size, or of smaller ones after the connection broke often.
struct S3PartPlan: Hashable, Sendable {
    /// A group of consecutive parts of a file that have the same size.
    private struct Run: Hashable, Sendable {
        var first: Int
        var start: ByteCount
        var partSize: ByteCount
    }

    static let smallestPart: ByteCount = 5 << 20
    static let largestPart: ByteCount = 5 << 30
    static let mostParts = 10_000
    /// The part size if none is configured, in bytes.
    static let usualPart: ByteCount = 8 << 20

    let size: ByteCount
    /// The parts of the file, grouped into runs of equal size. There is at least one run.
    private var runs: [Run]

    /// The part size at the start of the file, in bytes.
    var partSize: ByteCount { runs[0].partSize }
    /// The part size at the end of the file, in bytes. Only the very last part can be smaller than this size.
    var lastPartSize: ByteCount { runs[runs.count - 1].partSize }
    var isUniform: Bool { runs.count == 1 }

    /// Restores the plan of an earlier attempt from the first part size and `laterSizes`; nil if these are not valid.
    init?(size: ByteCount, keeping partSize: ByteCount, later: String? = nil) {
        guard size >= 0, (1...Self.largestPart).contains(partSize) else { return nil }
        self.init(size: size, partSize: partSize)
        for entry in later?.split(separator: ",") ?? [] {
            let numbers = entry.split(separator: ":").map { ByteCount($0) }
            guard numbers.count == 2, let first = numbers[0], let partSize = numbers[1],
                (2...ByteCount(Self.mostParts)).contains(first),
                let shrunk = shrunk(to: partSize, after: Int(first) - 1, most: Self.mostParts)
            else { return nil }
            self = shrunk
        }
        guard count <= Self.mostParts else { return nil }
    }

    /// The part sizes that follow the first one, as text to store; nil if there are none. In `4:5242880,9:…`, part 4 is
    /// the first part of 5,242,880 bytes, and part 9 is the first part of the next size.
    var laterSizes: String? {
        isUniform ? nil : runs.dropFirst().map { "\($0.first):\($0.partSize)" }.joined(separator: ",")
    }

    /// Returns a plan with smaller parts after part `number`; nil if they are not smaller, too many, or none.
    func shrunk(to partSize: ByteCount, after number: Int, most: Int) -> S3PartPlan? {
        guard partSize > 0, number >= 0, let next = range(of: number + 1) else { return nil }
        var plan = self
        plan.runs.removeAll { $0.first > number }
        guard partSize < lastPartSize else { return nil }
        plan.runs.append(Run(first: number + 1, start: next.lowerBound, partSize: partSize))
        return plan.count <= min(most, Self.mostParts) ? plan : nil
    }

    /// Makes a plan with the allowed part size nearest to `asked`, by default `usualPart`, doubled until there are few
    /// enough parts. Throws `UploadFailure` (`permanent`) if the file is too large for any plan.
    static func make(
        size: ByteCount, asked: ByteCount? = nil, smallest: ByteCount = smallestPart, most: Int = mostParts
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

    /// The number of parts, at least 1: an empty file has one empty part.
    var count: Int {
        let last = runs[runs.count - 1]
        return last.first - 1 + Self.partCount(size - last.start, last.partSize)
    }

    /// Returns the range of the file's bytes in part `number`, counted from 1; nil if there is no such part.
    func range(of number: Int) -> Range<ByteCount>? {
        guard (1...count).contains(number) else { return nil }
        let run = runs.last { $0.first <= number } ?? runs[0]
        let start = run.start + ByteCount(number - run.first) * run.partSize
        return start..<min(size, start + run.partSize)
    }

    private init(size: ByteCount, partSize: ByteCount) {
        self.size = size
        runs = [Run(first: 1, start: 0, partSize: partSize)]
    }

    private static func partCount(_ size: ByteCount, _ partSize: ByteCount) -> Int {
        guard size > 0 else { return 1 }
        return Int(clamping: (size - 1) / partSize + 1)
    }
}
