public import FerryFiles

/// A file to upload, with the properties that upload protocols need.
public struct UploadItem: Hashable, Sendable {
    /// The absolute URL of the destination. It can contain the placeholder `{name}` for the file's name.
    public var url: String
    /// The name of the file on the server; slashes separate folders.
    public var name: String
    /// The number of bytes of the file.
    public var size: ByteCount
    /// The media type of the file.
    public var contentType: String
    /// The time of the file's last change, for servers that store it.
    public var modified: Date?
    /// The key of the upload in all attempts: letters, digits and hyphens, for idempotency keys and temporary names.
    public var key: String
    /// The form fields or the metadata to send with the file, in this order. Names can repeat.
    public var parameters: [Parameter]

    /// The idempotency key for the current content, because a server would ignore a changed file with the same key.
    var contentKey: String {
        let moment = modified.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1_000_000).rounded()) }
        return key + (moment.map { "-\(size)-\($0)" } ?? "")
    }

    /// The body with the whole file; none for an empty file.
    var wholeBody: Exchange.Body { size > 0 ? .file(range: 0..<size) : .none }

    /// Returns the request for a digest of the whole file.
    func digest(_ algorithm: DigestAlgorithm) -> DigestRequest { DigestRequest(algorithm, of: 0..<size) }

    /// A form field, or an entry of the upload's metadata.
    public struct Parameter: Hashable, Codable, Sendable {
        /// The name: any text in most protocols. tus allows only printable ASCII without spaces and commas, and Azure
        /// only ASCII letters, digits and underscores, without a digit at the beginning.
        public var name: String
        /// The value: any text in most protocols. Azure allows only printable ASCII.
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(
        url: String, name: String, size: ByteCount, contentType: String = "application/octet-stream",
        modified: Date? = nil, key: String, parameters: [Parameter] = []
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
