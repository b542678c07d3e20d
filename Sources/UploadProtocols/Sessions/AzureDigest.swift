import FerryFiles
import HTTPTypes

extension ExchangeOutcome.Response {
    /// The digests that Azure reports for the content of a request or for the whole blob. The digest that costs the
    /// least time to compute comes first.
    ///
    /// Azure reports a CRC-64 for all content that it receives. It reports the MD5 of a block only if the request
    /// contained one (API version 2019-02-02 and later). The CRC is CRC-64/NVME with the lowest byte first: recorded
    /// responses to `Hello World` have `x-ms-content-crc64: YeJLfssylmU=`.
    var azureDigests: [ServerDigest] {
        let crc = bytes(in: .msContentCRC64).map { ServerDigest(.crc64nvme, $0.reversed()) }
        return [crc, bytes(in: .contentMD5).map { ServerDigest(.md5, $0) }].compactMap(\.self)
    }

    /// The response with the blob's MD5 copied from `Content-MD5` to the standard field `Repr-Digest` (RFC 9530 §3).
    var reportingBlobMD5: ExchangeOutcome.Response {
        var response = self
        if let sum = fields[.contentMD5] { response.fields[.reprDigest] = "md5=:\(sum):" }
        return response
    }

    /// The comparison of Azure's digests with those computed from the file; nil if they have no algorithm in common.
    var azureComparison: DigestComparison? { FoundFile(reported: azureDigests).agrees(with: digests) }

    private func bytes(in name: HTTPField.Name) -> [UInt8]? {
        fields[name].flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}

extension HTTPField.Name {
    /// The CRC-64 of the content, in Base64.
    static let msContentCRC64 = named("x-ms-content-crc64")
}
