public import FerryFiles

/// The state on the server from which an upload resumes, such as a tus or IETF upload URL, an S3 upload ID or a session
/// URL. It is on disk before the first byte of the file is sent, so that an attempt after a crash does not create a
/// second upload. For an upload that cannot resume, it has facts about its last request.
public struct UploadResource: Hashable, Codable, Sendable {
    /// The absolute URL of the upload or of the file to create, or another identifier of the protocol.
    public var url: String
    /// The number of the file's bytes that the server has confirmed, from the start of the file or in all stored parts.
    public var confirmed: ByteCount
    /// The number of stored parts and of all parts; nil if the file is not sent in parts.
    public var parts: Parts?
    /// The time when the server deletes the unfinished upload; nil if this time is unknown.
    public var expires: Date?
    /// More facts that the protocol stores about the upload, such as the size of a part.
    public var memory: ResumeMemory

    private enum CodingKeys: String, CodingKey {
        case url, confirmed, parts, expires
        case memory = "fields"
    }

    /// The number of stored parts and the number of all parts of an upload.
    public struct Parts: Hashable, Codable, Sendable {
        /// The number of parts that the server has stored.
        public var stored: Int
        /// The number of parts of the whole file.
        public var planned: Int

        private enum CodingKeys: String, CodingKey {
            case stored = "held"
            case planned
        }

        public init(stored: Int, planned: Int) {
            self.stored = stored
            self.planned = planned
        }
    }

    public init(
        url: String, confirmed: ByteCount = 0, parts: Parts? = nil, expires: Date? = nil,
        memory: ResumeMemory = [:]
    ) {
        self.url = url
        self.confirmed = confirmed
        self.parts = parts
        self.expires = expires
        self.memory = memory
    }
}

/// The facts about an upload that several protocols store in the same way.
struct ResumeMarks: ResumeForm {
    /// True if the server possibly has the whole file. The response that confirms it can be lost.
    var wholeBodySent = false
    var isAcknowledged = false
    /// The time when the server dropped an earlier upload of the same file, which this upload replaces.
    var droppedAt: Date?

    static let keys: ResumeKeys<Self> = [
        .init("wholeBodySent", \.wholeBodySent), .init("acknowledged", \.isAcknowledged),
        .init("dropped", \.droppedAt),
    ]
}

extension UploadResource {
    var marks: ResumeMarks {
        get { self[ResumeMarks.self] }
        set { self[ResumeMarks.self] = newValue }
    }

    /// True if the server possibly has the whole file, although possibly no response confirmed it.
    public var wholeBodySent: Bool { marks.wholeBodySent }

    func withWholeBodySent(_ isSent: Bool) -> UploadResource {
        var resource = self
        resource.marks.wholeBodySent = isSent
        return resource
    }

    var acknowledged: UploadResource {
        var resource = withWholeBodySent(true)
        resource.marks.isAcknowledged = true
        return resource
    }

    /// Returns the notes that record `moved`, the new state, and before it the number of lost bytes, if any.
    func notes(of moved: UploadResource) -> [Step.Note] {
        let lost = confirmed - moved.confirmed
        return (lost > 0 ? [.serverLost(lost)] : []) + [.resource(moved)]
    }
}

/// A time is stored as whole seconds since 1970. A time outside the range of `Int64` is not stored.
extension Date: ResumeText {
    init?(stored: String) {
        guard let seconds = Int64(stored) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }
    var stored: String? { Int64(exactly: timeIntervalSince1970.rounded()).map { "\($0)" } }
}

/// The record of a finished upload.
public struct Receipt: Hashable, Codable, Sendable {
    /// The URL of the finished upload; nil if it is unknown.
    public var location: String?
    /// The entity tag or digest that the server sent for the upload; nil also if it has more than `longestTag` bytes.
    public var entityTag: String? { didSet { entityTag = entityTag?.limited(to: Self.longestTag) } }
    /// The size of the file in bytes.
    public var bytes: ByteCount
    /// The seconds from the start of the last attempt to the final response.
    public var duration: Double
    /// The algorithm of the digest that confirmed the file's bytes on the server; nil if none did.
    public var verified: DigestAlgorithm?
    /// True if the file was not sent, because the server already had it.
    public var wasThere: Bool
    /// The name of the protocol that `auto` (`AutoUpload`) chose; nil for another protocol.
    public var chosen: String?
    /// The change at the file's path during the upload; nil if there was none, or if this is unknown.
    public var source: SourceDisposition?

    public init(
        location: String? = nil, entityTag: String? = nil, bytes: ByteCount = 0, duration: Double = 0,
        verified: DigestAlgorithm? = nil, wasThere: Bool = false, chosen: String? = nil,
        source: SourceDisposition? = nil
    ) {
        self.location = location
        self.entityTag = entityTag?.limited(to: Self.longestTag)
        self.bytes = bytes
        self.duration = duration
        self.verified = verified
        self.wasThere = wasThere
        self.chosen = chosen
        self.source = source
    }

    /// The maximum length of an entity tag in bytes, because it is stored with the upload.
    static let longestTag = 1 << 10
}

extension String {
    func limited(to limit: Int) -> String? { utf8.count <= limit ? self : nil }
}

/// A change at the path of a file during its upload, which sent the file that it had opened before the change.
public enum SourceDisposition: String, Hashable, Codable, Sendable, CaseIterable {
    /// No file is at the path now.
    case deleted
    /// Another file, which was not sent, is at the path now.
    case replaced
}
