public import FerryFiles

/// The handle with which an upload resumes: a tus or IETF upload URL, an S3 upload id, a session address.
///
/// Journaled durably before the first byte goes to it, so that no crash can orphan or repeat it.
public struct UploadResource: Hashable, Codable, Sendable {
    /// The absolute address (tus, IETF, Google, Graph) or the protocol's own identifier.
    public var url: String
    /// Bytes of the file the server said it holds: the first ones, or those of its parts together. Never what was
    /// merely written to a socket.
    public var confirmed: ByteCount
    /// The number of parts that the server holds, and of all parts; nil for a protocol without parts.
    public var parts: Parts?
    /// The time when the server drops the resource, if it said so.
    public var expires: Date?
    /// The facts that the protocol remembers besides (part tags, versions).
    public var memory: ResumeMemory

    private enum CodingKeys: String, CodingKey {
        case url, confirmed, parts, expires
        case memory = "fields"
    }

    /// A count of parts.
    public struct Parts: Hashable, Codable, Sendable {
        /// The number of parts at the server.
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

/// The facts that several protocols remember about what the server has.
struct ResumeMarks: ResumeForm {
    /// True if the last byte may be at the server while its answer is not here.
    var wholeBodySent = false
    /// True once the server has said that it has the whole file.
    var isAcknowledged = false
    /// The time when the server had dropped the upload before this one; nil if it had not.
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

    /// True if the last byte may be at the server while its answer is not here.
    public var wholeBodySent: Bool { marks.wholeBodySent }

    func withWholeBodySent(_ isSent: Bool) -> UploadResource {
        var resource = self
        resource.marks.wholeBodySent = isSent
        return resource
    }

    /// The same for a server that has said that it has the whole file.
    var acknowledged: UploadResource {
        var resource = withWholeBodySent(true)
        resource.marks.isAcknowledged = true
        return resource
    }
}

/// Whole seconds since 1970.
extension Date: ResumeText {
    init?(stored: String) {
        guard let seconds = Int64(stored) else { return nil }
        self.init(timeIntervalSince1970: Double(seconds))
    }
    var stored: String? { Int64(exactly: timeIntervalSince1970.rounded()).map { "\($0)" } }
}

/// The record of a finished upload.
public struct Receipt: Hashable, Codable, Sendable {
    /// The location that the server named, if it did.
    public var location: String?
    /// The server's entity tag or digest, as sent.
    public var entityTag: String?
    /// The size of the file.
    public var bytes: ByteCount
    /// Seconds from the start of the attempt that ended it to the final answer.
    public var duration: Double
    /// The digest by which the server confirmed that it holds what we have; nil if it did not.
    public var verified: DigestAlgorithm?
    /// True if the file was at the server before, and nothing was sent.
    public var wasThere: Bool
    /// The protocol that `auto` chose; nil where none had to be chosen.
    public var chosen: String?
    /// The change of the file's name while its bytes were sent; nil if it kept it.
    public var source: SourceDisposition?

    public init(
        location: String? = nil, entityTag: String? = nil, bytes: ByteCount = 0, duration: Double = 0,
        verified: DigestAlgorithm? = nil, wasThere: Bool = false, chosen: String? = nil,
        source: SourceDisposition? = nil
    ) {
        self.location = location
        self.entityTag = entityTag
        self.bytes = bytes
        self.duration = duration
        self.verified = verified
        self.wasThere = wasThere
        self.chosen = chosen
        self.source = source
    }
}

/// The change of a file's name during its upload. The bytes sent are those of the opened file, whole and unchanged.
public enum SourceDisposition: String, Hashable, Codable, Sendable, CaseIterable {
    case deleted
    /// Another file has the name now, which was not sent.
    case replaced
}
