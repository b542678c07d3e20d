public import HTTPTypes

extension HTTPField.Name {
    /// The version of tus that a request or response follows: `1.0.0`.
    public static let tusResumable = named("Tus-Resumable")
    /// The versions of tus that a server supports.
    public static let tusVersion = named("Tus-Version")
    /// The features that a server offers beyond the core protocol.
    public static let tusExtension = named("Tus-Extension")
    /// The digests that a server can check (tus 1.0.0, Checksum).
    public static let tusChecksumAlgorithm = named("Tus-Checksum-Algorithm")
    /// The size of the largest upload that a server accepts, in bytes.
    public static let tusMaxSize = named("Tus-Max-Size")
    /// The offset in bytes from the start of the upload.
    public static let uploadOffset = named("Upload-Offset")
    /// The size of the whole upload in bytes.
    public static let uploadLength = named("Upload-Length")
    /// The value `1` while the length is unknown (tus 1.0.0, Creation).
    public static let uploadDeferLength = named("Upload-Defer-Length")
    /// The metadata of the upload: see `TusMetadata`.
    public static let uploadMetadata = named("Upload-Metadata")
    /// The time when an unfinished upload is deleted, as an HTTP date (tus 1.0.0, Expiration).
    public static let uploadExpires = named("Upload-Expires")
    /// The digest `NAME BASE64` of the content of one request (tus 1.0.0, Checksum).
    public static let uploadChecksum = named("Upload-Checksum")
    /// The value `partial`, or `final;` and the URLs of the partial uploads (tus 1.0.0, Concatenation).
    public static let uploadConcat = named("Upload-Concat")
    /// The HTTP method that a server must execute instead of POST, for connections through a proxy that blocks this
    /// method.
    public static let methodOverride = named("X-HTTP-Method-Override")
}
