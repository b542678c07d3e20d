/// The facts that a tus upload remembers beside its address and its offset.
struct TusMemory: ResumeForm {
    /// The way in which the server checks chunks; nil if it does not.
    var sum: TusSum?
    /// True while every byte at the server came in a request that it checked.
    var isChecked = false
    /// True if POST stands for PATCH and DELETE.
    var overridesMethod = false
    /// Bytes: requests beyond it were refused.
    var requestLimit: ByteCount?
    /// True if a server in trouble was asked to put the parts together: if they are gone, it may have done so.
    var mayBeJoined = false
    /// The addresses of the partial uploads by their places in the file.
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

    /// Takes over what was decided or found out with another part of the same upload.
    mutating func share(_ other: UploadResource) {
        var shared = other.tus
        (shared.mayBeJoined, shared.partials) = (tus.mayBeJoined, tus.partials)
        tus = shared
        appends.learntChunk = other.appends.learntChunk
    }
}

/// The server's name of the algorithm, and the bytes of a chunk.
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
