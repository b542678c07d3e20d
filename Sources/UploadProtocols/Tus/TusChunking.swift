/// How much of the file goes into the next request.
struct TusChunking: Sendable {
    /// A break after fewer bytes says nothing about what the server keeps.
    static let telling: ByteCount = 1 << 20
    private static let first: ByteCount = 8 << 20
    private static let smallest: ByteCount = 64 << 10
    private static let largest: ByteCount = 256 << 20

    private let resource: Resource
    private let size: ByteCount
    private let chunkSize: ByteCount?

    /// - Parameters:
    ///   - size: Of the whole upload, in bytes.
    ///   - chunkSize: The most bytes of a request that the destination wants; nil for any number.
    init(_ resource: Resource, size: ByteCount, chunkSize: ByteCount?) {
        self.resource = resource
        self.size = size
        self.chunkSize = chunkSize
    }

    /// Where the next request ends, in bytes from the upload's start.
    var end: ByteCount {
        let left = size - resource.confirmed
        if let sum = resource.sum {
            return resource.confirmed + min(left, sum.chunk - resource.confirmed % sum.chunk)
        }
        let limits = [chunkSize, resource.requestLimit, resource.learntChunk].compactMap { $0 }
        return resource.confirmed + min(left, max(1, limits.min() ?? left))
    }

    /// False if the server kept a piece of a checked chunk, which it then cannot have checked.
    var isBoundary: Bool {
        guard let sum = resource.sum else { return true }
        return resource.confirmed % sum.chunk == 0 || resource.confirmed == size
    }

    /// What to try after a request of so many bytes was too large; nil if that was no more than a server must take.
    static func below(_ bytes: ByteCount) -> ByteCount? {
        bytes <= smallest ? nil : max(smallest, min(first, bytes / 2))
    }

    /// For a server that is known to keep nothing of a request that breaks.
    static let careful = first

    static func afterBreak(_ chunk: ByteCount) -> ByteCount { max(smallest, chunk / 2) }
    static func afterSuccess(_ chunk: ByteCount) -> ByteCount { min(largest, max(smallest, chunk) * 2) }
}

/// Servers should keep as much of a broken request as they can (tus 1.0.0, PATCH); some keep nothing. That is learnt
/// by asking after each break, and remembered with the upload: also one that was cut off without a word counts.
extension Resource {
    /// How many large requests must have been in vain.
    private static let lesson: ByteCount = 2

    /// A request begins that reaches up to `end`.
    mutating func willAppend(to end: ByteCount) {
        guard sum == nil else { return }
        let isTelling = end - confirmed > TusChunking.telling || learntChunk != nil
        appendedFrom = isTelling ? confirmed : nil
    }

    /// It broke, with so many bytes out.
    mutating func didBreak(afterSending bytes: ByteCount) {
        if bytes <= (learntChunk == nil ? TusChunking.telling : 0) { appendedFrom = nil }
    }

    /// It was refused, which says nothing about breaks.
    mutating func wasRefused() { appendedFrom = nil }

    /// It was answered with a success.
    mutating func didAppend() {
        appendedFrom = nil
        fruitlessAppends = nil
        learntChunk = learntChunk.map(TusChunking.afterSuccess)
    }

    /// The server says how much it holds.
    mutating func didAsk(_ offset: ByteCount) {
        guard let begin = appendedFrom else { return }
        appendedFrom = nil
        guard offset <= begin else {
            fruitlessAppends = nil
            return
        }
        if let chunk = learntChunk {
            learntChunk = TusChunking.afterBreak(chunk)
        } else {
            let count = (fruitlessAppends ?? 0) + 1
            fruitlessAppends = count < Self.lesson ? count : nil
            if count >= Self.lesson { learntChunk = TusChunking.careful }
        }
    }
}
