/// The rules for the size of the requests that append bytes, for a server that drops the bytes of a broken request. The
/// requests become smaller after each break and larger after each success. So a break costs little, and a good link
/// stays fast.
///
/// A server should keep the bytes that it received before a break (tus 1.0.0, PATCH;
/// draft-ietf-httpbis-resumable-upload, "Upload Append"), but some servers keep none. The offset that the server
/// reports after a break shows whether it keeps them. This fact is stored with the upload and for the destination. A
/// request is broken if its connection broke, or if it was cancelled, before the response arrived.
enum ChunkSizePolicy {
    /// The number of sent bytes above which a broken request shows whether the server keeps the bytes that it received.
    /// Fewer bytes possibly did not reach the server, because they were still in buffers on the way.
    static let telling: ByteCount = 1 << 20
    /// The size of the first chunk, in bytes, for a server that is known to keep nothing of a broken request.
    static let careful: ByteCount = 8 << 20
    static let smallest: ByteCount = 64 << 10
    private static let largest: ByteCount = 256 << 20
    /// The number of requests in a row that must break without progress, to prove that the server keeps nothing of
    /// them. Only requests that sent more than `telling` bytes count.
    fileprivate static let lesson = 2
    /// The key in `ServerCapabilities.facts`. Its value is "no" once the server has shown that it drops the bytes of
    /// broken requests.
    private static let fact = "keepsBrokenRequests"

    static func afterBreak(_ chunk: ByteCount) -> ByteCount { max(smallest, chunk / 2) }
    static func afterSuccess(_ chunk: ByteCount) -> ByteCount { min(largest, max(smallest, chunk) * 2) }

    /// Sets the first chunk size if other uploads have shown that the server keeps nothing of a broken request.
    static func apply(_ capabilities: ServerCapabilities?, to resource: inout UploadResource) {
        if capabilities?.facts[fact] == "no" { resource.appends.learntChunk = careful }
    }

    /// Records in `capabilities` that the server drops the bytes of broken requests, if this upload has shown that.
    static func note(_ resource: UploadResource, in capabilities: inout ServerCapabilities) {
        if resource.appends.learntChunk != nil { capabilities.facts[fact] = "no" }
    }
}

/// The facts about broken appending requests that an upload stores between attempts.
struct AppendMemory: ResumeForm {
    /// The maximum size of the next request in bytes; nil until the server has dropped the bytes of broken requests.
    /// WebDAV stores the size of its next part here, whether or not the server drops bytes.
    var learntChunk: ByteCount?
    /// The offset in bytes at which the last request began. Nil if its outcome is known, or if it sent too few bytes to
    /// show whether the server keeps them (see `ChunkSizePolicy.telling`).
    private var appendedFrom: ByteCount?
    /// The number of requests in a row that broke and did not change the server's offset. Only requests that sent more
    /// than `ChunkSizePolicy.telling` bytes count.
    private var fruitless = 0

    static var keys: [ResumeKey<Self>] {
        [
            .init("chunk", \.learntChunk), .init("appendedFrom", \.appendedFrom),
            .init("fruitless", \.fruitless),
        ]
    }

    /// Records that a request with these bytes of the file begins.
    mutating func begin(_ range: Range<ByteCount>) {
        let isTelling = range.count > (learntChunk == nil ? ChunkSizePolicy.telling : 0)
        appendedFrom = isTelling ? range.lowerBound : nil
    }

    /// Records that the request broke after it had sent `bytes` bytes.
    mutating func didBreak(afterSending bytes: ByteCount) {
        if bytes <= (learntChunk == nil ? ChunkSizePolicy.telling : 0) { appendedFrom = nil }
    }

    /// Records that the server refused the request. A refusal does not show what the server keeps after a break.
    mutating func wasRefused() { appendedFrom = nil }

    /// Records that the request succeeded.
    mutating func didAppend() {
        appendedFrom = nil
        fruitless = 0
        learntChunk = learntChunk.map(ChunkSizePolicy.afterSuccess)
    }

    /// Handles the offset that the server reports after a request without a response. If the server kept nothing of the
    /// request, the next request becomes smaller. The first limit is set only after `ChunkSizePolicy.lesson` such
    /// requests in a row.
    mutating func didAsk(_ offset: ByteCount) {
        guard let begin = appendedFrom else { return }
        appendedFrom = nil
        guard offset <= begin else {
            fruitless = 0
            return
        }
        if let chunk = learntChunk {
            learntChunk = ChunkSizePolicy.afterBreak(chunk)
        } else {
            fruitless += 1
            guard fruitless >= ChunkSizePolicy.lesson else { return }
            fruitless = 0
            learntChunk = ChunkSizePolicy.careful
        }
    }
}

extension UploadResource {
    var appends: AppendMemory {
        get { self[AppendMemory.self] }
        set { self[AppendMemory.self] = newValue }
    }
}
