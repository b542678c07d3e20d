/// The facts that a tus upload stores between attempts, in addition to its URL and its offset.
struct TusMemory: ResumeForm {
    /// The algorithm of the checksum that Ferry sends with each request for the server to check, and the maximum size
    /// of such a request; nil if requests have no checksum.
    var sum: TusSum?
    /// True while every stored byte came in a request that the server checked.
    var isChecked = false
    /// True if POST with `X-HTTP-Method-Override` replaces PATCH and DELETE.
    var overridesMethod = false
    /// The maximum number of bytes in one request, after the server refused a larger request; nil if it refused none.
    var requestLimit: ByteCount?
    /// True if the server failed at the request to join the parts. If the parts are missing afterwards, the server has
    /// possibly joined them.
    var mayBeJoined = false
    /// The URLs of the partial uploads. The keys are the indices of the parts in the file.
    var partials: [Int: String] = [:]

    static var keys: [ResumeKey<Self>] {
        [
            .init("checksum", \.sum), .init("checked", \.isChecked), .init("override", \.overridesMethod),
            .init("requestLimit", \.requestLimit), .init("mayBeJoined", \.mayBeJoined),
        ] + (0..<TusConcatenation.mostParts).map { .init("partial\($0)", \.partials[$0]) }
    }
}

extension UploadResource {
    var tus: TusMemory {
        get { self[TusMemory.self] }
        set { self[TusMemory.self] = newValue }
    }

    /// Copies from `other` the facts that all parts of an upload share.
    mutating func share(_ other: UploadResource) {
        var shared = other.tus
        (shared.mayBeJoined, shared.partials) = (tus.mayBeJoined, tus.partials)
        tus = shared
        appends.learntChunk = other.appends.learntChunk
    }
}

/// The stored string: the server's name of the algorithm, a space, and the number of bytes in a chunk.
extension TusSum: ResumeText {
    init?(stored: String) {
        let words = stored.split(separator: " ")
        guard words.count == 2, let algorithm = TusOffer.algorithm(named: String(words[0])),
            let chunk = ByteCount(words[1]), chunk > 0
        else { return nil }
        self.init(algorithm: algorithm, name: String(words[0]), chunk: chunk)
    }
    var stored: String? { "\(name) \(chunk)" }
}
