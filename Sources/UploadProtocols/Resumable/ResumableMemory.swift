import FerryFiles

/// The facts that a resumable upload stores between attempts. They are short, because each change is written to disk.
struct ResumableMemory: ResumeForm {
    /// The version of the draft with which the server created the upload; nil for a resource of another protocol.
    var interop: InteropVersion?
    /// The limits on the size of a `PATCH` request that the server stated most recently; nil if it stated none.
    var limit: UploadLimit?
    /// The maximum number of bytes to append in one request; nil until the server refuses one as too large.
    var largestAppend: ByteCount?
    /// The digest that Ferry sent when it created the upload, to compare with the server's; nil if it sent none.
    var ownDigest: [UInt8]?

    static let keys: ResumeKeys<Self> = [
        .init("interop", \.interop), .init("limit", \.limit), .init("append", \.largestAppend),
        .init("digest", \.ownDigest),
    ]
}

extension UploadResource {
    var resumable: ResumableMemory {
        get { self[ResumableMemory.self] }
        set { self[ResumableMemory.self] = newValue }
    }

    /// The longest stored lifetime of an upload, in seconds. A server that states a longer one means "for ever".
    private static let longestAge: ByteCount = 10 * 366 * 86_400

    /// Stores the limits for `PATCH` requests, and the time when the server deletes the unfinished upload.
    mutating func take(_ reported: UploadLimit?) {
        guard let reported else { return }
        if let age = reported.age { expires = Date().addingTimeInterval(Double(min(age, Self.longestAge))) }
        let limit = UploadLimit(maximumAppend: reported.maximumAppend, minimumAppend: reported.minimumAppend)
        resumable.limit = limit.maximumAppend != nil || limit.minimumAppend ?? 0 > 0 ? limit : nil
    }
}

extension InteropVersion: ResumeText {
    init?(stored: String) { self.init(rawValue: Int(stored) ?? 0) }
    var stored: String? { "\(rawValue)" }
}

extension UploadLimit: ResumeText {
    init?(stored: String) { self.init(stored) }
    var stored: String? { header() }
}

/// The stored string of a digest: its bytes in Base64.
extension [UInt8]: ResumeText {
    init?(stored: String) {
        guard let data = Data(base64Encoded: stored) else { return nil }
        self = Array(data)
    }
    var stored: String? { Data(self).base64EncodedString() }
}
