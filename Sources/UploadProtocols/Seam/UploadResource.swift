public import FerryFiles

/// The state on the server from which an upload resumes: a tus or IETF upload URL, an S3 upload ID, a session URL.
///
/// If the upload can resume, its resource is on disk before the first byte of the file is sent. So the attempt after a
/// crash finds the resource and does not create a second one. An upload that cannot resume can also have a resource,
/// which then contains facts about its last request.
public struct UploadResource: Hashable, Codable, Sendable {
    /// The absolute URL (tus, IETF, Google, Graph) or the protocol's own identifier.
    public var url: String
    /// The number of the file's bytes that the server has confirmed, from the start of the file or in all stored parts.
    /// Bytes that were only written to a socket do not count.
    public var confirmed: ByteCount
    /// The counts of stored parts and of all parts; nil for a protocol without parts.
    public var parts: Parts?
    /// The time when the server drops the resource; nil if the server stated no time.
    public var expires: Date?
    /// The other facts that the protocol stores, such as the size of a part.
    public var memory: ResumeMemory

    private enum CodingKeys: String, CodingKey {
        case url, confirmed, parts, expires
        case memory = "fields"
    }

    /// The counts of an upload's parts.
    public struct Parts: Hashable, Codable, Sendable {
        /// The number of parts that the server has stored.
        public var held: Int
        /// The number of parts of the whole file.
        public var planned: Int

        public init(held: Int, planned: Int) {
            self.held = held
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

/// The facts about the server's state that several protocols store.
struct ResumeMarks: ResumeForm {
    /// True if the server may have the whole file, even if no response has confirmed it.
    var wholeBodySent = false
    /// True once the server has confirmed the whole file.
    var isAcknowledged = false
    /// The time when the server dropped an earlier resource of this upload; nil if it dropped none.
    var droppedAt: Date?

    static var keys: [ResumeKey<Self>] {
        [
            .init("wholeBodySent", \.wholeBodySent), .init("acknowledged", \.isAcknowledged),
            .init("dropped", \.droppedAt),
        ]
    }
}

extension UploadResource {
    var marks: ResumeMarks {
        get { self[ResumeMarks.self] }
        set { self[ResumeMarks.self] = newValue }
    }

    /// True if the server may have the whole file, even if no response has confirmed it.
    public var wholeBodySent: Bool { marks.wholeBodySent }

    func withWholeBodySent(_ isSent: Bool) -> UploadResource {
        var resource = self
        resource.marks.wholeBodySent = isSent
        return resource
    }

    /// A copy of this resource, marked as confirmed: the server has the whole file.
    var acknowledged: UploadResource {
        var resource = withWholeBodySent(true)
        resource.marks.isAcknowledged = true
        return resource
    }

    /// Returns the notes that replace this resource by `moved`. If `moved` has fewer confirmed bytes, a note states the
    /// loss.
    func notes(of moved: UploadResource) -> [Step.Note] {
        let lost = confirmed - moved.confirmed
        return (lost > 0 ? [.serverLost(lost)] : []) + [.resource(moved)]
    }
}

/// The stored string of a time: whole seconds since 1970.
extension Date: ResumeText {
    init?(stored: String) {
        guard let seconds = Int64(stored) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }
    var stored: String? { Int64(exactly: timeIntervalSince1970.rounded()).map { "\($0)" } }
}

/// The record of a finished upload.
public struct Receipt: Hashable, Codable, Sendable {
    /// The location of the finished upload, if it is known.
    public var location: String?
    /// The server's entity tag or digest for the finished upload; nil if the server sent none, or one of more than
    /// `longestTag` bytes.
    public var entityTag: String? { didSet { entityTag = Self.bounded(entityTag) } }
    /// The size of the file in bytes.
    public var bytes: ByteCount
    /// The seconds from the start of the last attempt to the final response.
    public var duration: Double
    /// The algorithm of the digest by which the server confirmed the file's bytes; nil if no digest confirmed them.
    public var verified: DigestAlgorithm?
    /// True if the file was on the server before, so that it was not sent.
    public var wasThere: Bool
    /// The protocol that `auto` chose; nil if no choice was needed.
    public var chosen: String?
    /// The change at the file's path during the upload; nil if there was none.
    public var source: SourceDisposition?

    public init(
        location: String? = nil, entityTag: String? = nil, bytes: ByteCount = 0, duration: Double = 0,
        verified: DigestAlgorithm? = nil, wasThere: Bool = false, chosen: String? = nil,
        source: SourceDisposition? = nil
    ) {
        self.location = location
        self.entityTag = Self.bounded(entityTag)
        self.bytes = bytes
        self.duration = duration
        self.verified = verified
        self.wasThere = wasThere
        self.chosen = chosen
        self.source = source
    }

    /// The maximum length of an entity tag in bytes. The tag is stored with the upload, so it must be short.
    static let longestTag = 1 << 10

    private static func bounded(_ tag: String?) -> String? {
        tag.flatMap { $0.utf8.count <= longestTag ? $0 : nil }
    }
}

/// A change at a file's path during the upload. The upload sent the file that it had opened, complete and unchanged.
public enum SourceDisposition: String, Hashable, Codable, Sendable, CaseIterable {
    /// No file is at the path now.
    case deleted
    /// Another file, which was not sent, is at the path now.
    case replaced
}
