import FerryFiles
import HTTPTypes

/// Makes the requests for one block blob of Azure. Every request contains the query of the destination's URL, which is
/// a shared access signature. The upload resource on disk does not.
struct AzureBlob: Sendable {
    /// The version of Azure's API. Blocks of 4000 MiB exist since version 2019-12-12.
    static let version = "2021-12-02"

    let item: UploadItem
    let options: ProtocolOptions
    /// The URL of the blob, without the query.
    let base: String

    init(_ base: String, _ item: UploadItem, _ options: ProtocolOptions) {
        self.base = UploadAddress.withoutQuery(base)
        self.item = item
        self.options = options
    }

    /// Makes the request `Put Blob`, which sends the whole file.
    func put(onlyNew: Bool) -> Exchange {
        var exchange = exchange(.put)
        exchange.fields[.msBlobType] = "BlockBlob"
        exchange.fields[.contentType] = item.contentType
        describe(&exchange, onlyNew: onlyNew)
        if item.size > 0 { exchange.body = .file(range: 0..<item.size) }
        exchange.digests = digests(.contentMD5, of: 0..<item.size)
        takeReported(of: 0..<item.size, in: &exchange)
        exchange.traits.insert(.completes)
        return exchange
    }

    /// Makes the request `Put Block`, which sends one block.
    func put(block index: Int, of plan: BlockPlan) -> Exchange {
        let range = plan.range(of: index)
        var exchange = exchange(.put, [("comp", "block"), ("blockid", plan.id(of: index))])
        exchange.body = .file(range: range)
        exchange.digests = digests(.contentMD5, of: range)
        takeReported(of: range, in: &exchange)
        exchange.part = index
        return exchange
    }

    /// Makes the request `Put Block List`, which joins the blocks. Azure stores the MD5 in it without checking it.
    func commit(_ plan: BlockPlan, onlyNew: Bool) -> Exchange {
        var exchange = exchange(.put, [("comp", "blocklist")])
        exchange.fields[.contentType] = "application/xml"
        exchange.fields[.msBlobContentType] = item.contentType
        describe(&exchange, onlyNew: onlyNew)
        exchange.body = .bytes(BlockList.commit(plan))
        exchange.digests = digests(.msBlobContentMD5, of: 0..<item.size)
        exchange.traits.insert(.completes)
        return exchange
    }

    /// Makes the request `Get Block List`, which lists the `committed` or `uncommitted` blocks of the blob.
    func list(_ kind: String) -> Exchange {
        exchange(.get, [("comp", "blocklist"), ("blocklisttype", kind)])
    }

    func head() -> Exchange { exchange(.head) }

    /// Returns `exchange` with the header field for the version of Azure's API.
    func asked(_ exchange: Exchange) -> Exchange {
        var exchange = exchange
        exchange.fields[.msVersion] = Self.version
        return exchange
    }

    func receipt(_ response: ExchangeOutcome.Response, verified: DigestAlgorithm?) -> Receipt {
        Receipt(location: base, entityTag: response.fields[.eTag], bytes: item.size, verified: verified)
    }

    private func exchange(
        _ method: HTTPRequest.Method, _ query: [(name: String, value: String)] = []
    ) -> Exchange {
        let url = AddressQuery.adding(query, to: UploadAddress.withQuery(of: item.url, base))
        return asked(Exchange(method, url, traits: .idempotent))
    }

    private func describe(_ exchange: inout Exchange, onlyNew: Bool) {
        if onlyNew {
            exchange.fields[.ifNoneMatch] = "*"
            // The transport must not repeat the request: the blob from the first one would make the second one fail.
            exchange.traits.remove(.idempotent)
        }
        for parameter in item.parameters {
            if let name = HTTPField.Name("x-ms-meta-\(parameter.name)") {
                exchange.fields[name] = parameter.value
            }
        }
    }

    private func digests(_ field: HTTPField.Name, of range: Range<ByteCount>) -> [DigestRequest] {
        guard options.checksum == .md5 else { return [] }
        return [DigestRequest(.md5, of: range, in: DigestRequest.Carrier(field, .base64))]
    }

    /// Lets the digest that Azure reports for the received bytes be compared with that of the file's bytes in `range`.
    private func takeReported(of range: Range<ByteCount>, in exchange: inout Exchange) {
        OfferedDigest.take(
            [.crc64nvme, .md5], range: range, in: .azureFields, of: &exchange, size: item.size,
            options.checksumChoice)
    }
}

extension ExchangeOutcome.Response {
    /// True if the response has the request ID that Azure adds to every response. Azure refuses a body that does not
    /// match `Content-MD5`, so its success confirms the MD5. Other servers possibly ignore this field.
    var isOfAzure: Bool { fields[.msRequestID] != nil }

    /// The digests that Azure reports in the response, for the content of the request or for the whole blob. The CRC-64
    /// comes first, because computing it takes less time.
    ///
    /// Azure reports a CRC-64 for all content that it receives, and the MD5 of a block only if the request contained
    /// one (API version 2019-02-02 and later). The CRC-64 is CRC-64/NVME with the lowest byte first: recorded responses
    /// to the content `Hello World` have `x-ms-content-crc64: YeJLfssylmU=`.
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

    /// The result of comparing a digest from Azure with the file's; nil if there are no two of the same algorithm.
    var azureComparison: DigestComparison? { FoundFile(reported: azureDigests).agrees(with: digests) }
}

extension HTTPField.Name {
    static let msVersion = named("x-ms-version")
    static let msRequestID = named("x-ms-request-id")
    static let msErrorCode = named("x-ms-error-code")
    static let msBlobType = named("x-ms-blob-type")
    static let msBlobContentType = named("x-ms-blob-content-type")
    static let msBlobContentMD5 = named("x-ms-blob-content-md5")
    /// The header field with the CRC-64 of the content, in Base64.
    static let msContentCRC64 = named("x-ms-content-crc64")
}
