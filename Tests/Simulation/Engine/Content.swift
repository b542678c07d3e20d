import FerryProtocols

/// A description of file content: a list of byte ranges, each with its file and the version of the file. The bytes
/// themselves are not stored.
struct Content: Equatable {
    struct Run: Equatable {
        var file: Int
        var version: Int64
        var range: Range<ByteCount>
    }

    private(set) var runs: [Run] = []

    init() {}

    init(file: Int, version: Int64, range: Range<ByteCount>) {
        if !range.isEmpty { runs = [Run(file: file, version: version, range: range)] }
    }

    var count: ByteCount { runs.reduce(0) { $0 + $1.range.upperBound - $1.range.lowerBound } }

    /// Appends `other`. A run that continues the last run of this content is merged with it.
    mutating func append(_ other: Content) {
        for run in other.runs {
            if let last = runs.last, last.file == run.file, last.version == run.version,
                last.range.upperBound == run.range.lowerBound
            {
                runs[runs.count - 1].range = last.range.lowerBound..<run.range.upperBound
            } else {
                runs.append(run)
            }
        }
    }

    func prefix(_ length: ByteCount) -> Content {
        var left = length
        var kept = Content()
        for run in runs where left > 0 {
            let count = min(left, run.range.upperBound - run.range.lowerBound)
            kept.runs.append(run)
            kept.runs[kept.runs.count - 1].range = run.range.lowerBound..<run.range.lowerBound + count
            left -= count
        }
        return kept
    }
}
