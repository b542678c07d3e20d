import HTTPTypes

/// The facts that an upload to Azure remembers.
struct AzureMemory: ResumeForm {
    /// Bytes of each block but the last; nil if the file goes in one request.
    var blockSize: ByteCount?
    /// True if nothing may be replaced.
    var mustBeNew = false
    /// True if every block was sent with its MD5.
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

extension ExchangeOutcome.Response {
    /// A blob's `Content-MD5` as the field that says the same everywhere else (RFC 9530 §3).
    var tellingBlobMD5: ExchangeOutcome.Response {
        var answer = self
        if let sum = fields[.contentMD5] { answer.fields[.reprDigest] = "md5=:\(sum):" }
        return answer
    }
}
