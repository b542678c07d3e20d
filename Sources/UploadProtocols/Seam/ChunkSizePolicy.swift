/// The size of appending requests to a server that drops the bytes of a broken one. Chunks become smaller after each
/// break and larger after each success, so a break costs little and a good link loses nothing.
///
/// Servers should keep as much as they can (tus 1.0.0, PATCH; draft-ietf-httpbis-resumable-upload, "Upload Append");
/// some keep nothing. The offset after each break reveals it, and the result is stored with the upload and for the
/// destination. A request that broke without an error counts too.
enum ChunkSizePolicy {
    /// The number of sent bytes below which a break does not show what the server keeps.
    static let telling: ByteCount = 1 << 20
    /// The first chunk for a server that is known to keep nothing.
    static let careful: ByteCount = 8 << 20
    static let smallest: ByteCount = 64 << 10
    private static let largest: ByteCount = 256 << 20
    /// The number of lost large requests that prove it.
    fileprivate static let lesson = 2
    /// The fact of `ServerCapabilities`: "no" once the server has shown that it keeps nothing.
    private static let fact = "keepsBrokenRequests"

    static func afterBreak(_ chunk: ByteCount) -> ByteCount { max(smallest, chunk / 2) }
    static func afterSuccess(_ chunk: ByteCount) -> ByteCount { min(largest, max(smallest, chunk) * 2) }

    /// Applies the result of other uploads.
    static func apply(_ capabilities: ServerCapabilities?, to resource: inout UploadResource) {
        if capabilities?.facts[fact] == "no" { resource.appends.learntChunk = careful }
    }

    /// Records the result of this upload for others.
    static func note(_ resource: UploadResource, in capabilities: inout ServerCapabilities) {
        if resource.appends.learntChunk != nil { capabilities.facts[fact] = "no" }
    }
}

/// The facts that an upload stores about broken requests.
struct AppendMemory: ResumeForm {
    /// The bytes of the next request, to a server that drops the bytes of a broken one.
    var learntChunk: ByteCount?
    /// The offset at which a large request began whose response is missing.
    private var appendedFrom: ByteCount?
    /// The number of large requests in a row that broke and after which the offset had not changed.
    private var fruitless = 0

    static var keys: [ResumeKey<Self>] {
        [
            .init("chunk", \.learntChunk), .init("appendedFrom", \.appendedFrom),
            .init("fruitless", \.fruitless),
        ]
    }

    /// Records that a request for these bytes of the upload begins.
    mutating func begin(_ range: Range<ByteCount>) {
        let isTelling = range.count > (learntChunk == nil ? ChunkSizePolicy.telling : 0)
        appendedFrom = isTelling ? range.lowerBound : nil
    }

    /// Records that the request broke after so many bytes.
    mutating func didBreak(afterSending bytes: ByteCount) {
        if bytes <= (learntChunk == nil ? ChunkSizePolicy.telling : 0) { appendedFrom = nil }
    }

    /// Records that the request was refused, which says nothing about breaks.
    mutating func wasRefused() { appendedFrom = nil }

    /// Records that the request succeeded.
    mutating func didAppend() {
        appendedFrom = nil
        fruitless = 0
        learntChunk = learntChunk.map(ChunkSizePolicy.afterSuccess)
    }

    /// Records that the server has confirmed so many bytes.
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
