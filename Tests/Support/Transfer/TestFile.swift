package import FerryProtocols
package import FerryTransfer
import Foundation

/// A file with a pattern, in a temporary folder of its own.
package struct TestFile {
    package let directory: TemporaryDirectory
    package let pattern: PatternFile

    package init(count: Int) throws {
        directory = try TemporaryDirectory()
        pattern = try PatternFile(at: directory.path("file.bin"), count: count)
    }

    package var path: String { pattern.path }
    package var size: ByteCount { ByteCount(pattern.count) }

    package func open() throws -> SourceFile { try SourceFile(LocalPath(path)) }

    /// Returns the whole file as a body.
    package func body(
        prefix: [UInt8] = [], suffix: [UInt8] = [], rateLimiter: (any RateLimiter)? = nil,
        beforeLastBytes: (@Sendable () async throws(UploadFailure) -> Void)? = nil
    ) throws -> TransportRequest.Body {
        let file = try open()
        return .streamed(
            StreamedBody(
                [
                    .bytes(prefix), .file(file, identity: file.identity, range: 0..<size),
                    .bytes(suffix),
                ],
                beforeLastBytes: beforeLastBytes, rateLimiter: rateLimiter))
    }

    /// The number of this process's descriptors for the file.
    package var openDescriptors: Int {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.filter { number in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
        }.count
    }

    /// Waits until no descriptor is left, and returns true, or false if one remains. A read-ahead may end a moment
    /// after its request.
    package func isClosedSoon() async -> Bool {
        for _ in 0..<20_000 {
            if openDescriptors == 0 { return true }
            await Task.yield()
        }
        return false
    }
}
