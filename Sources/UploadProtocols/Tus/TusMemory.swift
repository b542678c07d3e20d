/// The facts about a tus upload that are stored on disk for a later attempt, with the URL and the offset.
struct TusMemory: ResumeForm {
    /// The checksum in each request, which the server checks; nil if requests have none.
    var sum: TusSum?
    /// True as long as the server has checked the checksums of all stored bytes. False if requests have no checksum.
    var isChecked = false
    /// True if the upload sends POST with `X-HTTP-Method-Override` instead of PATCH and DELETE.
    var overridesMethod = false
    /// The maximum number of bytes in one request, set when the server refuses a request as too large; nil before.
    var requestLimit: ByteCount?
    /// True if the server failed at the request that joins the parts: it has possibly joined them if they are missing.
    var mayBeJoined = false
    /// True if the file was sent with the creation, whose response was lost. The upload's URL is then unknown.
    var isUnnamed = false
    /// The URLs of the partial uploads. The keys are the indices of the parts in the file.
    var partials: [Int: String] = [:]

    static let keys = ResumeKeys<Self>(
        [
            .init("checksum", \.sum), .init("checked", \.isChecked), .init("override", \.overridesMethod),
            .init("requestLimit", \.requestLimit), .init("mayBeJoined", \.mayBeJoined),
            .init("unnamed", \.isUnnamed),
        ] + (0..<TusConcatenation.mostParts).map { .init("partial\($0)", \.partials[$0]) })
}

extension UploadResource {
    var tus: TusMemory {
        get { self[TusMemory.self] }
        set { self[TusMemory.self] = newValue }
    }

    /// Copies from `other` the facts that are the same for all parts of an upload.
    mutating func share(_ other: UploadResource) {
        var shared = other.tus
        (shared.mayBeJoined, shared.partials) = (tus.mayBeJoined, tus.partials)
        tus = shared
        appends.learntChunk = other.appends.learntChunk
    }
}

/// A checksum setting is stored as the server's name of the algorithm, a space, and the size of a request.
extension TusSum: ResumeText {
    init?(stored: String) {
        let words = stored.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard words.count == 2, let algorithm = TusOffer.algorithm(named: String(words[0])),
            let chunk = ByteCount(words[1]), chunk > 0
        else { return nil }
        self.init(algorithm: algorithm, name: String(words[0]), chunk: chunk)
    }
    var stored: String? { "\(name) \(chunk)" }
}
