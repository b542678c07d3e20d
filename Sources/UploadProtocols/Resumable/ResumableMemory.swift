import FerryFiles

/// The facts that a resumable upload remembers beside its address: a few short words, because each change is journaled.
struct ResumableMemory: ResumeForm {
    /// The version that the upload was made in; nil for any other protocol's resource.
    var interop: InteropVersion?
    /// The limits that the server told last.
    var limit: UploadLimit?
    /// The largest append that the server takes, found out by being refused.
    var largestAppend: ByteCount?
    /// The digest of the whole file, as it was sent to the server.
    var ownDigest: [UInt8]?

    static var keys: [ResumeKey<Self>] {
        [
            .init("interop", \.interop), .init("limit", \.limit), .init("append", \.largestAppend),
            .init("digest", \.ownDigest),
        ]
    }
}

extension UploadResource {
    var resumable: ResumableMemory {
        get { self[ResumableMemory.self] }
        set { self[ResumableMemory.self] = newValue }
    }

    /// A server that names a time further away than this, in seconds, means "for ever".
    private static let longestAge: ByteCount = 10 * 366 * 86_400

    /// Keeps the limits, and until when the server keeps the upload.
    mutating func take(_ told: UploadLimit?) {
        guard let told else { return }
        if let age = told.age { expires = Date().addingTimeInterval(Double(min(age, Self.longestAge))) }
        let hasLimits = told.maximumAppend != nil || told.minimumAppend ?? 0 > 0
        resumable.limit =
            hasLimits
            ? UploadLimit(maximumAppend: told.maximumAppend, minimumAppend: told.minimumAppend) : nil
    }
}

extension InteropVersion: ResumeText {
    init?(stored: String) {
        guard let number = Int(stored) else { return nil }
        self.init(rawValue: number)
    }
    var stored: String? { "\(rawValue)" }
}

extension UploadLimit: ResumeText {
    init?(stored: String) { self.init(stored) }
    var stored: String? { header() }
}

/// Base64.
extension [UInt8]: ResumeText {
    init?(stored: String) {
        guard let data = Data(base64Encoded: stored) else { return nil }
        self = Array(data)
    }
    var stored: String? { Data(self).base64EncodedString() }
}
