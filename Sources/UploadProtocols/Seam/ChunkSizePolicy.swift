/// The rules for the size of a request that appends bytes to an upload, for servers that drop the bytes of a broken
/// request. A request is broken if its connection broke, or it was cancelled, before the response arrived.
///
/// After each broken request, the next one is smaller, so that the next break loses fewer bytes. After each success,
/// the next one is larger, so that an upload over a good connection stays fast.
///
/// A server should keep the bytes that it received (tus 1.0.0, PATCH; draft-ietf-httpbis-resumable-upload, "Upload
/// Append"). The offset that it reports after a broken request shows whether it does.
enum ChunkSizePolicy {
    /// The bytes that a broken request must exceed to be telling: fewer were possibly still in buffers on the way.
    static let telling: ByteCount = 1 << 20
    /// The first maximum size of a request, in bytes, for a server that drops the bytes of broken requests.
    static let careful: ByteCount = 8 << 20
    static let smallest: ByteCount = 64 << 10
    private static let largest: ByteCount = 256 << 20
    /// The number of telling requests in a row, without stored bytes, that prove that the server drops them.
    fileprivate static let lesson = 2
    /// The key in `ServerCapabilities.facts`. The only value, "no", means that broken requests lose their bytes.
    private static let fact = "keepsBrokenRequests"

    /// Returns the size to try after the server refused a request of `bytes` bytes as too large: half of it, but at
    /// most `careful` and at least `smallest`. Nil if `bytes` is not above the smallest size.
    static func below(_ bytes: ByteCount) -> ByteCount? {
        bytes <= smallest ? nil : max(smallest, min(careful, bytes / 2))
    }

    static func afterBreak(_ chunk: ByteCount) -> ByteCount { max(smallest, chunk / 2) }
    static func afterSuccess(_ chunk: ByteCount) -> ByteCount { min(largest, max(smallest, chunk) * 2) }

    /// Limits the next request to `careful` bytes, if the server is known to drop the bytes of broken requests.
    static func apply(_ capabilities: ServerCapabilities?, to resource: inout UploadResource) {
        if capabilities?.facts[fact] == "no" { resource.appends.learntChunk = careful }
    }

    /// Records in `capabilities` what `resource` has shown of the server.
    static func note(_ resource: UploadResource, in capabilities: inout ServerCapabilities) {
        if resource.appends.learntChunk != nil { capabilities.facts[fact] = "no" }
    }
}

/// Facts about the requests that append bytes to an upload, stored between attempts.
struct AppendMemory: ResumeForm {
    /// The maximum size of the next request, in bytes. Nil as long as the server is not known to drop the bytes of
    /// broken requests. WebDAV uses this property for the size of the next part.
    var learntChunk: ByteCount?
    /// The offset at which the last request began; nil if its outcome is known, or if it is too small to be telling.
    private var appendedFrom: ByteCount?
    /// The number of telling requests in a row without stored bytes; 0 once `learntChunk` has a value.
    private var fruitless = 0

    static let keys: ResumeKeys<Self> = [
        .init("chunk", \.learntChunk), .init("appendedFrom", \.appendedFrom), .init("fruitless", \.fruitless),
    ]

    /// Records that a request with these bytes of the file is about to be sent.
    mutating func begin(_ range: Range<ByteCount>) {
        let isTelling = range.count > (learntChunk == nil ? ChunkSizePolicy.telling : 0)
        appendedFrom = isTelling ? range.lowerBound : nil
    }

    /// Handles a request that broke after it had sent this number of bytes, which can be too small to prove anything.
    mutating func didBreak(afterSending bytes: ByteCount) {
        if bytes <= (learntChunk == nil ? ChunkSizePolicy.telling : 0) { appendedFrom = nil }
    }

    /// Forgets the last request: a refusal does not show what the server keeps after a break.
    mutating func wasRefused() { appendedFrom = nil }

    /// Records that the request succeeded, and doubles the limit of the size, if there is one.
    mutating func didAppend() {
        appendedFrom = nil
        fruitless = 0
        learntChunk = learntChunk.map(ChunkSizePolicy.afterSuccess)
    }

    /// Handles the offset that the server reports after a broken request. If the server has stored no bytes of it,
    /// halves the limit of the size, or sets the first limit after `ChunkSizePolicy.lesson` such requests.
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
