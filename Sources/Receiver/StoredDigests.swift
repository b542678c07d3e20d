import FerryFiles
import FerryProtocols
import NIOCore

extension OpenFile {
    /// The number of bytes of one file that the digest thread reads before it turns to another file.
    private static let bytesATurn = 16 << 20

    /// Computes several digests of a range of the file, which is read once. All files share one thread, which reads a
    /// part of each in turn, so that a small file does not wait for large ones.
    /// - Throws: `EIO` if the file is shorter than the end of the range.
    func digests(
        _ algorithms: Set<DigestAlgorithm>, of range: Range<Int>
    ) async throws -> [DigestAlgorithm: [UInt8]] {
        var running = algorithms.map { RunningDigest($0) }
        var rest = range
        while !rest.isEmpty, !running.isEmpty {
            let turn = rest.prefix(Self.bytesATurn)
            running = try await offLoop(on: .digests) { [running] in try self.update(running, with: turn) }
            rest = turn.upperBound..<rest.upperBound
        }
        return Dictionary(uniqueKeysWithValues: zip(algorithms, running.map(\.bytes)))
    }

    private func update(
        _ digests: [RunningDigest], with range: Range<Int>
    ) throws(SystemCallError) -> [RunningDigest] {
        var digests = digests
        var offset = range.lowerBound
        while offset < range.upperBound {
            let chunk = try read(upTo: min(1 << 20, range.upperBound - offset), at: offset)
            guard chunk.readableBytes > 0 else { throw SystemCallError(call: "read", code: .ioError) }
            chunk.withUnsafeReadableBytes { bytes in
                for index in digests.indices { digests[index].update(bytes) }
            }
            offset += chunk.readableBytes
        }
        return digests
    }
}
