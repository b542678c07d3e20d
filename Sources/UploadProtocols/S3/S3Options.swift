/// The options that only an S3 destination has.
public struct S3Options: Hashable, Sendable {
    /// True if the bucket is the first segment of the address's path, false if it is in the host's name; nil leaves it
    /// to what the host's name tells.
    public var bucketInPath: Bool?
    /// `x-amz-storage-class` of new objects, as `STANDARD_IA`; nil leaves it to the bucket.
    public var storageClass: String?
    /// Fields that go with the request that creates an object: encryption, metadata, access.
    public var fields: [String: String]

    public init(bucketInPath: Bool? = nil, storageClass: String? = nil, fields: [String: String] = [:]) {
        self.bucketInPath = bucketInPath
        self.storageClass = storageClass
        self.fields = fields
    }
}
