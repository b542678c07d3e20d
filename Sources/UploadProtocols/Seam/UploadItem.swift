public import FerryFiles

/// The file to upload, as far as a protocol must know it.
public struct UploadItem: Hashable, Sendable {
    /// The address of the destination, absolute.
    public var url: String
    /// The name the file gets at the server; slashes are folders.
    public var name: String
    /// Bytes of the file.
    public var size: ByteCount
    /// The media type.
    public var contentType: String
    /// The time of the file's last change, for servers that keep it.
    public var modified: Date?
    /// The same for every attempt at this upload, different for any other: letters, digits and hyphens. It is the
    /// idempotency key, and the name of what is only there for a while.
    public var key: String
    /// Form parameters or metadata, in order; a repeated name is a list.
    public var parameters: [Parameter]

    /// The key of these very bytes: a server that has carried out a request under a key ignores what else comes under it,
    /// and the file may have been changed and queued anew meanwhile.
    var contentKey: String {
        let moment = modified.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded()) }
        return key + (moment.map { "-\(size)-\($0)" } ?? "")
    }

    /// A field of the form, or an entry of the metadata.
    public struct Parameter: Hashable, Codable, Sendable {
        /// Any text; tus takes ASCII without spaces and commas.
        public var name: String
        /// Any text.
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        url: String, name: String, size: ByteCount, contentType: String = "application/octet-stream",
        modified: Date? = nil, key: String,
        parameters: [Parameter] = []
    ) {
        self.url = url
        self.name = name
        self.size = size
        self.contentType = contentType
        self.modified = modified
        self.key = key
        self.parameters = parameters
    }
}
