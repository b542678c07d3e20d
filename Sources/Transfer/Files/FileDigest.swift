import FerryProtocols

enum FileDigest {
    /// The number of bytes that one job of the thread pool reads, before a check for cancellation.
    private static let span: ByteCount = 16 << 20
    private static let blockSize = 1 << 20

    /// Computes the digests of `orders`, in the same order. Reads each range once.
    ///
    /// - Returns: nil if the task was cancelled before one of the reads.
    /// - Throws: `UploadFailure`: `sourceChanged` if the file ends before the end of a range, `sourceAway` if the disk
    ///   or network share fails, `network` if the task is cancelled during a read.
    static func compute(
        _ orders: [DigestRequest], of file: SourceFile
    ) async throws(UploadFailure) -> [ComputedDigest]? {
        var found: [Range<ByteCount>: [DigestAlgorithm: [UInt8]]] = [:]
        for range in Set(orders.map(\.range)) {
            let algorithms = Set(orders.lazy.filter { $0.range == range }.map(\.algorithm))
            guard let digests = try await digests(algorithms, of: range, in: file) else { return nil }
            found[range] = digests
        }
        return orders.compactMap { order in
            found[order.range]?[order.algorithm].map {
                ComputedDigest(order.algorithm, of: order.range, bytes: $0)
            }
        }
    }

    private static func digests(
        _ algorithms: Set<DigestAlgorithm>, of range: Range<ByteCount>, in file: SourceFile
    ) async throws(UploadFailure) -> [DigestAlgorithm: [UInt8]]? {
        var running = Dictionary(uniqueKeysWithValues: algorithms.map { ($0, RunningDigest($0)) })
        if let bytes = file.recentBytes(range, of: file.identity) {
            bytes.withUnsafeBytes { block in
                for algorithm in algorithms { running[algorithm]?.update(block) }
            }
            return running.mapValues(\.bytes)
        }
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard !Task.isCancelled else { return nil }
            let next = offset..<min(offset + span, range.upperBound)
            running = try await file.readers.run(file.path, on: file.identity.device) {
                [running] () throws(UploadFailure) in
                var running = running
                try read(next, of: file) { block in
                    for algorithm in algorithms { running[algorithm]?.update(block) }
                }
                return running
            }
            offset = next.upperBound
        }
        return running.mapValues(\.bytes)
    }

    private static func read(
        _ range: Range<ByteCount>, of file: SourceFile, _ use: (UnsafeRawBufferPointer) -> Void
    ) throws(UploadFailure) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 64)
        defer { block.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = Int(min(ByteCount(blockSize), range.upperBound - offset))
            let part = UnsafeMutableRawBufferPointer(rebasing: block[..<count])
            try file.read(into: part, at: offset)
            use(UnsafeRawBufferPointer(part))
            offset += ByteCount(count)
        }
    }
}
