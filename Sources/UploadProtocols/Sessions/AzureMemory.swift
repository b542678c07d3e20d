import HTTPTypes

/// The facts that an upload to Azure stores between attempts.
struct AzureMemory: ResumeForm {
    /// The size of a block in bytes. The last block can be smaller. Nil if the file is sent in one request.
    var blockSize: ByteCount?
    /// True if the upload must not replace an existing blob.
    var mustBeNew = false
    /// True if every block of this upload that was sent had its MD5 in the request.
    var hasBlockSums = false

    static let keys: [ResumeKey<Self>] =
        [.init("blockSize", \.blockSize), .init("onlyNew", \.mustBeNew), .init("md5", \.hasBlockSums)]
}

extension UploadResource {
    var azure: AzureMemory {
        get { self[AzureMemory.self] }
        set { self[AzureMemory.self] = newValue }
    }
}
