/// The options that only an S3 destination has.
public struct S3Options: Hashable, Sendable {
    /// True if the bucket is the first segment of the URL's path, false if it is in the host name. Nil means the host
    /// name for an AWS host such as `bucket.s3.REGION.amazonaws.com`, and the path for any other host.
    public var bucketInPath: Bool?
    /// The `x-amz-storage-class` of new objects, such as `STANDARD_IA`; nil uses the bucket's default.
    public var storageClass: String?
    /// The header fields for the request that creates an object, such as encryption, metadata and access rights. The
    /// other requests of the upload have only the customer's encryption keys, the payer and the bucket's owner.
    public var fields: [String: String]

    public init(bucketInPath: Bool? = nil, storageClass: String? = nil, fields: [String: String] = [:]) {
        self.bucketInPath = bucketInPath
        self.storageClass = storageClass
        self.fields = fields
    }
}
