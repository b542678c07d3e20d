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
    /// An offset in bytes: where a request's bytes begin, or in a response the number of stored bytes.
    public static let uploadOffset = named("Upload-Offset")
    /// The size of the whole upload in bytes.
    public static let uploadLength = named("Upload-Length")
    /// The field that has the value `1` until the length of the upload has been sent (tus 1.0.0, Creation).
    public static let uploadDeferLength = named("Upload-Defer-Length")
    /// The metadata of the upload: keys, each with a value in Base64.
    public static let uploadMetadata = named("Upload-Metadata")
    /// The time when the server deletes an unfinished upload, as an HTTP date (tus 1.0.0, Expiration).
    public static let uploadExpires = named("Upload-Expires")
    /// The digest `NAME BASE64` of the content of one request (tus 1.0.0, Checksum).
    public static let uploadChecksum = named("Upload-Checksum")
    /// The role of an upload of a file in parts: `partial`, or `final;` and the parts' URLs (tus 1.0.0, Concatenation).
    public static let uploadConcat = named("Upload-Concat")
    /// The HTTP method that a server must execute instead of POST, for proxies that block it.
    public static let methodOverride = named("X-HTTP-Method-Override")
}
