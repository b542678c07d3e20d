public import HTTPTypes

extension HTTPField.Name {
    /// The fields of tus 1.0.0.
    public static let tusResumable = named("Tus-Resumable")
    /// The versions that a server speaks.
    public static let tusVersion = named("Tus-Version")
    /// The features that a server offers beyond the core protocol.
    public static let tusExtension = named("Tus-Extension")
    /// The digests that a server can check (tus 1.0.0, Checksum).
    public static let tusChecksumAlgorithm = named("Tus-Checksum-Algorithm")
    /// Bytes of the largest upload that a server takes.
    public static let tusMaxSize = named("Tus-Max-Size")
    /// Bytes from the start of the upload.
    public static let uploadOffset = named("Upload-Offset")
    /// Bytes of the whole upload.
    public static let uploadLength = named("Upload-Length")
    /// `1` while the length is not known (tus 1.0.0, Creation).
    public static let uploadDeferLength = named("Upload-Defer-Length")
    /// See `TusMetadata`.
    public static let uploadMetadata = named("Upload-Metadata")
    /// The time when an unfinished upload is deleted, as an HTTP date (tus 1.0.0, Expiration).
    public static let uploadExpires = named("Upload-Expires")
    /// `NAME BASE64` over the content of one request (tus 1.0.0, Checksum).
    public static let uploadChecksum = named("Upload-Checksum")
    /// `partial`, or `final;` and the addresses of what is put together (tus 1.0.0, Concatenation).
    public static let uploadConcat = named("Upload-Concat")
    /// The method that is meant, where something between allows only POST.
    public static let methodOverride = named("X-HTTP-Method-Override")
}
