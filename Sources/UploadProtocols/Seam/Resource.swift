public import struct Foundation.Date

/// What the server gave us to go on with: a tus or IETF upload URL, an S3 upload id, a session address.
///
/// Journaled durably before the first byte goes to it, so that no crash can orphan or repeat it.
public struct Resource: Hashable, Codable, Sendable {
    /// The absolute address (tus, IETF, Google, Graph) or the protocol's own identifier.
    public var url: String
    /// Bytes of the file the server said it holds: the first ones, or those of its parts together. Never what was
    /// merely written to a socket.
    public var confirmed: ByteCount
    /// How many parts the server holds, and how many there will be; nil for a protocol without parts.
    public var parts: Parts?
    /// When the server drops the resource, if it said so.
    public var expires: Date?
    /// Anything else the protocol must remember (part tags, versions).
    public var fields: [String: String]

    /// A count of parts.
    public struct Parts: Hashable, Codable, Sendable {
        /// At the server.
        public var held: Int
        /// Of the whole file.
        public var planned: Int

        public init(held: Int, planned: Int) {
            self.held = held
            self.planned = planned
        }
    }

    public init(
        url: String, confirmed: ByteCount = 0, parts: Parts? = nil, expires: Date? = nil,
        fields: [String: String] = [:]
    ) {
        self.url = url
        self.confirmed = confirmed
        self.parts = parts
        self.expires = expires
        self.fields = fields
    }
}

/// What remains of a finished upload.
public struct Receipt: Hashable, Codable, Sendable {
    /// Where the server put it, if it said so.
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
    /// What became of the file's name while its bytes were sent; nil if it kept it.
    public var source: SourceFate?

    public init(
        location: String? = nil, entityTag: String? = nil, bytes: ByteCount = 0, duration: Double = 0,
        verified: DigestAlgorithm? = nil, wasThere: Bool = false, chosen: String? = nil,
        source: SourceFate? = nil
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

/// What happened to a file's name during its upload. What was sent is the file that was opened, whole and unchanged.
public enum SourceFate: String, Hashable, Codable, Sendable, CaseIterable {
    case deleted
    /// Another file has the name now, which was not sent.
    case replaced
}
