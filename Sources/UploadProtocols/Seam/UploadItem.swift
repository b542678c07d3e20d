public import FerryFiles

/// The properties of a file that protocols need.
public struct UploadItem: Hashable, Sendable {
    /// The absolute URL of the destination.
    public var url: String
    /// The name of the file on the server; slashes separate folders.
    public var name: String
    /// The number of bytes of the file.
    public var size: ByteCount
    /// The media type.
    public var contentType: String
    /// The time of the file's last change, for servers that store it.
    public var modified: Date?
    /// The key of the upload, the same in every attempt and unique: letters, digits and hyphens. It is the idempotency
    /// key, and the name of temporary resources.
    public var key: String
    /// The form parameters or metadata, in order; a repeated name is a list.
    public var parameters: [Parameter]

    /// The key of exactly these bytes. A server that has executed a request under a key ignores later ones, and the
    /// file may have been changed and queued again meanwhile.
    var contentKey: String {
        let moment = modified.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded()) }
        return key + (moment.map { "-\(size)-\($0)" } ?? "")
    }

    /// A field of the form, or an entry of the metadata.
    public struct Parameter: Hashable, Codable, Sendable {
        /// The name: any text; tus allows ASCII without spaces and commas.
        public var name: String
        /// The value: any text.
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
