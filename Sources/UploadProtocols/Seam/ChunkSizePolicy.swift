/// The rules for the size of a request that appends bytes to an upload. They apply if the server drops the bytes of a
/// broken request. A request is broken if its connection broke, or it was cancelled, before the response arrived.
///
/// After each broken request, the next request is smaller, so that the next break loses fewer bytes. After each
/// successful request, the next request is larger, so that an upload over a good connection stays fast.
///
/// A server should keep the bytes that it received before the connection broke (tus 1.0.0, PATCH;
/// draft-ietf-httpbis-resumable-upload, "Upload Append"). Some servers drop these bytes. The offset that the server
/// reports after a broken request shows whether it drops them. Ferry stores this fact with the upload and with the
/// destination.
enum ChunkSizePolicy {
    /// The number of bytes that a broken request must exceed to show whether the server drops received bytes. Of fewer
    /// bytes, the server possibly received none, because they were still in buffers on the way.
    static let telling: ByteCount = 1 << 20
    /// The first maximum size of a request, in bytes, for a server that drops the bytes of broken requests.
    static let careful: ByteCount = 8 << 20
    static let smallest: ByteCount = 64 << 10
    private static let largest: ByteCount = 256 << 20
    /// The number of broken requests in a row after which it is certain that the server drops their bytes. A request
    /// counts only if the server stored none of its bytes. A request that is known to have sent at most `telling` bytes
    /// does not count.
    fileprivate static let lesson = 2
    /// The key in `ServerCapabilities.facts` of a fact about the server. The value "no" means that the server drops the
    /// bytes of broken requests. There is no other value.
    private static let fact = "keepsBrokenRequests"

    /// Returns the size to try after the server refused a request of `bytes` bytes as too large: half of it, but at
    /// most `careful` and at least `smallest`. Nil if `bytes` is not above the smallest size.
    static func below(_ bytes: ByteCount) -> ByteCount? {
        bytes <= smallest ? nil : max(smallest, min(careful, bytes / 2))
    }

    static func afterBreak(_ chunk: ByteCount) -> ByteCount { max(smallest, chunk / 2) }
    static func afterSuccess(_ chunk: ByteCount) -> ByteCount { min(largest, max(smallest, chunk) * 2) }

    /// Limits the size of the next request to `careful` bytes, if the stored capabilities say that the server drops the
    /// bytes of broken requests.
    static func apply(_ capabilities: ServerCapabilities?, to resource: inout UploadResource) {
        if capabilities?.facts[fact] == "no" { resource.appends.learntChunk = careful }
    }

    /// Records in `capabilities` that the server drops the bytes of broken requests, if the upload `resource` has shown
    /// this.
    static func note(_ resource: UploadResource, in capabilities: inout ServerCapabilities) {
        if resource.appends.learntChunk != nil { capabilities.facts[fact] = "no" }
    }
}

/// Facts about the requests that append bytes to an upload, stored between attempts. They show whether the server drops
/// the bytes of broken requests.
struct AppendMemory: ResumeForm {
    /// The maximum size of the next request, in bytes. Nil as long as the server is not known to drop the bytes of
    /// broken requests. WebDAV uses this property for another purpose: it is the size of the next part.
    var learntChunk: ByteCount?
    /// The offset in the file at which the last request began, in bytes. Nil if the outcome of this request is known.
    /// Also nil if the request had too few bytes to show whether the server keeps received bytes.
    private var appendedFrom: ByteCount?
    /// The number of broken requests in a row from which the server stored no bytes. Requests that are too small to
    /// prove anything do not count. The count stops once `learntChunk` has a value, because the server's behavior is
    /// then known.
    private var fruitless = 0

    static let keys: [ResumeKey<Self>] =
        [
            .init("chunk", \.learntChunk), .init("appendedFrom", \.appendedFrom),
            .init("fruitless", \.fruitless),
        ]

    /// Records that a request with these bytes of the file is about to be sent. Does not record a request that is too
    /// small to show whether the server keeps received bytes.
    mutating func begin(_ range: Range<ByteCount>) {
        let isTelling = range.count > (learntChunk == nil ? ChunkSizePolicy.telling : 0)
        appendedFrom = isTelling ? range.lowerBound : nil
    }

    /// Handles a request that broke after it had sent this number of bytes. Forgets the request if the number is too
    /// small to show whether the server keeps received bytes.
    mutating func didBreak(afterSending bytes: ByteCount) {
        if bytes <= (learntChunk == nil ? ChunkSizePolicy.telling : 0) { appendedFrom = nil }
    }

    /// Forgets the last request, because the server refused it. A refusal does not show what the server keeps after a
    /// break.
    mutating func wasRefused() { appendedFrom = nil }

    /// Records that the request succeeded. If the size of requests is limited, doubles the limit, up to a maximum.
    mutating func didAppend() {
        appendedFrom = nil
        fruitless = 0
        learntChunk = learntChunk.map(ChunkSizePolicy.afterSuccess)
    }

    /// Handles the offset that the server reports after a broken request. If the server has stored no bytes of this
    /// request, halves the maximum size of the next request, down to a minimum. If there is no maximum size yet, one is
    /// set after `ChunkSizePolicy.lesson` such requests in a row.
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
