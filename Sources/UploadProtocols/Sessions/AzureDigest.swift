import FerryFiles
import HTTPTypes

extension ExchangeOutcome.Response {
    /// The digests that Azure reports: of what a request sent, or of the whole blob, the cheapest to compare first.
    ///
    /// Azure reports its CRC-64 for whatever it receives. Of a block it reports the MD5 only if the request had one
    /// (API version 2019-02-02 and later). The CRC is CRC-64/NVME with the lowest byte first: recorded responses to
    /// `Hello World` have `x-ms-content-crc64: YeJLfssylmU=`.
    var azureDigests: [ServerDigest] {
        let crc = bytes(in: .msContentCRC64).map { ServerDigest(.crc64nvme, $0.reversed()) }
        return [crc, bytes(in: .contentMD5).map { ServerDigest(.md5, $0) }].compactMap(\.self)
    }

    /// The response with the MD5 of a blob also in the standard field `Repr-Digest` (RFC 9530 §3).
    var reportingBlobMD5: ExchangeOutcome.Response {
        var response = self
        if let sum = fields[.contentMD5] { response.fields[.reprDigest] = "md5=:\(sum):" }
        return response
    }

    /// Compares the digests that Azure reports with those of the file; nil if there is none to compare.
    var azureComparison: DigestComparison? { FoundFile(reported: azureDigests).agrees(with: digests) }

    private func bytes(in name: HTTPField.Name) -> [UInt8]? {
        fields[name].flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}

extension HTTPField.Name {
    /// The CRC-64 of the content, in Base64.
    static let msContentCRC64 = named("x-ms-content-crc64")
}
