/// The size of the next request that appends bytes to an upload on a tus server.
struct TusChunking: Sendable {
    private let resource: UploadResource
    private let size: ByteCount
    private let chunkSize: ByteCount?

    /// - Parameters:
    ///   - size: The size in bytes of this upload on the server: the file, or one part of it.
    ///   - chunkSize: The configured maximum number of bytes in one request; nil for no limit.
    init(_ resource: UploadResource, size: ByteCount, chunkSize: ByteCount?) {
        self.resource = resource
        self.size = size
        self.chunkSize = chunkSize
    }

    /// The offset in the upload at which the next request ends. If requests have checksums, it is the next multiple of
    /// `TusSum.chunk`. Without checksums, the lowest known limit for one request determines it. It is never above
    /// `size`.
    var end: ByteCount {
        let left = size - resource.confirmed
        if let sum = resource.tus.sum {
            return resource.confirmed + min(left, sum.chunk - resource.confirmed % sum.chunk)
        }
        let limits = [chunkSize, resource.tus.requestLimit, resource.appends.learntChunk].compactMap { $0 }
        return resource.confirmed + min(left, max(1, limits.min() ?? left))
    }

    /// True if requests have no checksums, or if the confirmed bytes end where a request with a checksum ends. False if
    /// the server stored only a part of a request. The server cannot have checked the checksum of that request.
    var isBoundary: Bool {
        guard let sum = resource.tus.sum else { return true }
        return resource.confirmed % sum.chunk == 0 || resource.confirmed == size
    }

    /// Returns the size to try after the server refused a request of `bytes` bytes as too large. It is half of `bytes`,
    /// limited to at most `ChunkSizePolicy.careful` and at least `ChunkSizePolicy.smallest`. Returns nil if `bytes` is
    /// not above the smallest size.
    static func below(_ bytes: ByteCount) -> ByteCount? {
        let smallest = ChunkSizePolicy.smallest
        return bytes <= smallest ? nil : max(smallest, min(ChunkSizePolicy.careful, bytes / 2))
    }
}
