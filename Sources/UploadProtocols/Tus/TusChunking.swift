/// The size of the next request that appends bytes.
struct TusChunking: Sendable {
    private let resource: UploadResource
    private let size: ByteCount
    private let chunkSize: ByteCount?

    /// - Parameters:
    ///   - size: The size of the whole upload, in bytes.
    ///   - chunkSize: The configured maximum number of bytes in one request; nil for no limit.
    init(_ resource: UploadResource, size: ByteCount, chunkSize: ByteCount?) {
        self.resource = resource
        self.size = size
        self.chunkSize = chunkSize
    }

    /// The end of the next request, in bytes from the upload's start.
    var end: ByteCount {
        let left = size - resource.confirmed
        if let sum = resource.tus.sum {
            return resource.confirmed + min(left, sum.chunk - resource.confirmed % sum.chunk)
        }
        let limits = [chunkSize, resource.tus.requestLimit, resource.appends.learntChunk].compactMap { $0 }
        return resource.confirmed + min(left, max(1, limits.min() ?? left))
    }

    /// True if the confirmed bytes end at the end of a checked chunk, or if chunks are not checked. If false, the
    /// server kept only a part of a chunk, so it cannot have checked the chunk's checksum.
    var isBoundary: Bool {
        guard let sum = resource.tus.sum else { return true }
        return resource.confirmed % sum.chunk == 0 || resource.confirmed == size
    }

    /// Returns the next size to try after a request with `bytes` bytes was too large. Nil if `bytes` is at most the
    /// smallest size, `ChunkSizePolicy.smallest`.
    static func below(_ bytes: ByteCount) -> ByteCount? {
        let smallest = ChunkSizePolicy.smallest
        return bytes <= smallest ? nil : max(smallest, min(ChunkSizePolicy.careful, bytes / 2))
    }
}
