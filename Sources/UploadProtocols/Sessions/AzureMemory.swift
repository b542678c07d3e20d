import HTTPTypes

/// The facts that an upload to Azure stores between attempts.
struct AzureMemory: ResumeForm {
    /// The number of bytes in each block but the last; nil for a file that is sent in one request.
    var blockSize: ByteCount?
    /// True if the upload must not replace an existing blob.
    var mustBeNew = false
    /// True if every block so far was sent with its MD5.
    var hasBlockSums = false

    static var keys: [ResumeKey<Self>] {
        [.init("blockSize", \.blockSize), .init("onlyNew", \.mustBeNew), .init("md5", \.hasBlockSums)]
    }
}

extension UploadResource {
    var azure: AzureMemory {
        get { self[AzureMemory.self] }
        set { self[AzureMemory.self] = newValue }
    }
}
