/// What requests that append become at a server that keeps nothing of one that breaks: chunks, smaller after each break and
/// larger after each success, so that a break costs little and a good link loses nothing.
///
/// Servers should keep as much as they can (tus 1.0.0, PATCH; draft-ietf-httpbis-resumable-upload, "Upload Append"); some
/// keep nothing. That is learnt by asking after each break, and remembered with the upload and for the destination: also a
/// request that was cut off without a word counts.
enum BrokenAppends {
    /// A break after fewer bytes says nothing about what the server keeps.
    static let telling: ByteCount = 1 << 20
    /// The first chunk for a server that is known to keep nothing.
    static let careful: ByteCount = 8 << 20
    static let smallest: ByteCount = 64 << 10
    private static let largest: ByteCount = 256 << 20
    /// How many large requests must have been in vain.
    fileprivate static let lesson: ByteCount = 2
    /// Of `ServerCapabilities`: "no" once the server has shown that it keeps nothing.
    private static let fact = "keepsBrokenRequests"

    static func afterBreak(_ chunk: ByteCount) -> ByteCount { max(smallest, chunk / 2) }
    static func afterSuccess(_ chunk: ByteCount) -> ByteCount { min(largest, max(smallest, chunk) * 2) }

    /// Takes over what other uploads have found out.
    static func apply(_ capabilities: ServerCapabilities?, to resource: inout Resource) {
        if capabilities?.facts[fact] == "no" { resource.learntChunk = careful }
    }

    /// Notes for other uploads what this one has found out.
    static func note(_ resource: Resource, in capabilities: inout ServerCapabilities) {
        if resource.learntChunk != nil { capabilities.facts[fact] = "no" }
    }
}

extension Resource {
    private enum Key {
        static let appendedFrom = "appendedFrom"
        static let fruitlessAppends = "fruitless"
    }

    /// The field of `learntChunk`.
    static let learntChunkField = "chunk"

    /// Bytes of the next request, to a server that keeps nothing of one that breaks.
    var learntChunk: ByteCount? {
        get { count(Self.learntChunkField) }
        set { fields[Self.learntChunkField] = newValue.map { "\($0)" } }
    }

    /// Where a large request began whose answer is not here.
    private var appendedFrom: ByteCount? {
        get { count(Key.appendedFrom) }
        set { fields[Key.appendedFrom] = newValue.map { "\($0)" } }
    }

    /// How many such requests in a row have left the offset where it was.
    private var fruitlessAppends: ByteCount? {
        get { count(Key.fruitlessAppends) }
        set { fields[Key.fruitlessAppends] = newValue.map { "\($0)" } }
    }

    /// A number that was remembered; nil if there is none.
    func count(_ field: String) -> ByteCount? {
        fields[field].flatMap { ByteCount($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// A request begins that reaches up to `end`.
    mutating func willAppend(to end: ByteCount) {
        let isTelling = end - confirmed > BrokenAppends.telling || learntChunk != nil && end > confirmed
        appendedFrom = isTelling ? confirmed : nil
    }

    /// It broke, with so many bytes out.
    mutating func didBreak(afterSending bytes: ByteCount) {
        if bytes <= (learntChunk == nil ? BrokenAppends.telling : 0) { appendedFrom = nil }
    }

    /// It was refused, which says nothing about breaks.
    mutating func wasRefused() { appendedFrom = nil }

    /// It was answered with a success.
    mutating func didAppend() {
        appendedFrom = nil
        fruitlessAppends = nil
        learntChunk = learntChunk.map(BrokenAppends.afterSuccess)
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
            learntChunk = BrokenAppends.afterBreak(chunk)
        } else {
            let count = (fruitlessAppends ?? 0) + 1
            fruitlessAppends = count < BrokenAppends.lesson ? count : nil
            if count >= BrokenAppends.lesson { learntChunk = BrokenAppends.careful }
        }
    }
}
