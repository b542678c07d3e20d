import FerryFiles
import HTTPTypes

extension ExchangeOutcome.Response {
    /// The digests that Azure reports in the response, for the content of the request or for the whole blob. The CRC-64
    /// comes first, because computing it takes less time than computing the MD5.
    ///
    /// Azure reports a CRC-64 for all content that it receives. It reports the MD5 of a block only if the request
    /// contained an MD5 (API version 2019-02-02 and later). The CRC-64 is CRC-64/NVME with the lowest byte first. For
    /// example, recorded responses to the content `Hello World` have `x-ms-content-crc64: YeJLfssylmU=`.
    var azureDigests: [ServerDigest] {
        let crc = ServerDigest(.crc64nvme, base64: fields[.msContentCRC64]).map {
            ServerDigest(.crc64nvme, $0.bytes.reversed())
        }
        return [crc, ServerDigest(.md5, base64: fields[.contentMD5])].compactMap(\.self)
    }

    /// A copy of the response with the blob's MD5 from `Content-MD5` in the standard field `Repr-Digest` (RFC 9530 §3).
    var reportingBlobMD5: ExchangeOutcome.Response {
        var response = self
        if let sum = fields[.contentMD5] { response.fields[.reprDigest] = "md5=:\(sum):" }
        return response
    }

    /// The result of comparing a digest from Azure with the digest of the same algorithm that was computed from the
    /// file. Nil if there are no two such digests.
    var azureComparison: DigestComparison? { FoundFile(reported: azureDigests).agrees(with: digests) }
}

extension HTTPField.Name {
    /// The name of the header field with the CRC-64 of the content, in Base64.
    static let msContentCRC64 = named("x-ms-content-crc64")
}
