import HTTPTypes

/// What an upload to Azure must remember.
extension Resource {
    private static let blockSizeField = "blockSize"
    private static let onlyNewField = "onlyNew"
    private static let summedField = "md5"

    /// Bytes of each block but the last; nil if the file goes in one request.
    var blobBlockSize: ByteCount? {
        get { fields[Self.blockSizeField].flatMap { ByteCount(digits: $0) } }
        set { fields[Self.blockSizeField] = newValue.map { "\($0)" } }
    }

    /// True if nothing may be replaced.
    var mustBeNew: Bool {
        get { fields[Self.onlyNewField] != nil }
        set { fields[Self.onlyNewField] = newValue ? "yes" : nil }
    }

    /// True if every block was sent with its MD5.
    var hasBlockSums: Bool {
        get { fields[Self.summedField] != nil }
        set { fields[Self.summedField] = newValue ? "yes" : nil }
    }
}

extension Reply.Answer {
    /// A blob's `Content-MD5` as the field that says the same everywhere else (RFC 9530 §3).
    var tellingBlobMD5: Reply.Answer {
        var answer = self
        if let sum = fields[.msContentMD5] { answer.fields[.reprDigest] = "md5=:\(sum):" }
        return answer
    }
}
