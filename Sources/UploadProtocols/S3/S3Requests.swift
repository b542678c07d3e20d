import HTTPTypes

/// Makes the requests for the upload of one file. The requests are not signed.
struct S3Requests: Sendable {
    let address: S3Address
    private let item: UploadItem
    private let options: S3Options
    private let creationFields: HTTPFields

    /// - Throws: `UploadFailure` (`permanent`) if the URL, the configured fields or the file's metadata cannot be used.
    init(item: UploadItem, options: S3Options) throws(UploadFailure) {
        address = try S3Address(item.url, options: options)
        _ = try address.key(for: item.name)
        self.item = item
        self.options = options
        creationFields = try options.creationFields(of: item)
    }

    /// Makes the `PUT` request that sends the whole file, which must not replace an object if `onlyNew` is true.
    func put(_ object: String, digest: DigestAlgorithm?, onlyNew: Bool) -> Exchange {
        var exchange = Exchange(.put, object, fields: creationFields, traits: [.idempotent, .completes])
        send(0..<item.size, digest: digest, in: &exchange)
        if onlyNew { exchange.fields[.ifNoneMatch] = "*" }
        return exchange
    }

    func create(_ object: String, digest: DigestAlgorithm?) -> Exchange {
        var fields = creationFields
        if let digest, let name = S3Checksum.name(digest) {
            fields[.named("x-amz-checksum-algorithm")] = name
            fields[.named("x-amz-checksum-type")] = S3Checksum.type(digest)
        }
        return Exchange(.post, object + S3Address.query(["uploads": ""]), fields: fields)
    }

    /// Makes the request that sends one part of the file; nil if the file has no part of this number.
    func part(_ number: Int, of session: S3Session) -> Exchange? {
        guard let range = session.plan.range(of: number) else { return nil }
        let query = S3Address.query(["partNumber": "\(number)", "uploadId": session.uploadID])
        var exchange = Exchange(.put, session.object + query, fields: options.commonFields())
        exchange.part = number
        send(range, digest: session.checksum, in: &exchange)
        return exchange
    }

    func list(_ session: S3Session, after marker: Int?) -> Exchange {
        let marked = marker.map { "part-number-marker=\($0)&" } ?? ""
        let query = S3Address.query(["uploadId": session.uploadID]).dropFirst()
        return Exchange(.get, "\(session.object)?\(marked)\(query)", fields: options.commonFields())
    }

    /// Makes the request that joins the stored parts. If `declaresDigest` is true, it has the digests of the parts, and
    /// a known CRC of the object, for the server's check.
    func complete(
        _ session: S3Session, _ parts: [Int: S3Part], onlyNew: Bool, declaresDigest: Bool
    ) -> Exchange {
        var fields = options.commonFields()
        // S3 forbids the media type of HTML forms here, and some servers lose a body of that type.
        fields[.contentType] = "application/xml"
        fields[.named("x-amz-mp-object-size")] = "\(session.plan.size)"
        if onlyNew { fields[.ifNoneMatch] = "*" }
        if declaresDigest, let algorithm = session.checksum, S3Checksum.type(algorithm) == "FULL_OBJECT",
            let digest = session.completion?.digest
        {
            fields[S3Checksum.field(algorithm)] = digest
            fields[.named("x-amz-checksum-type")] = "FULL_OBJECT"
        }
        return Exchange(
            .post, session.url, fields: fields,
            body: .bytes(Self.completion(of: parts, digest: declaresDigest ? session.checksum : nil)),
            // The server can need minutes, in which it sends white space (API of CompleteMultipartUpload).
            traits: [.idempotent, .completes, .slowResponse])
    }

    /// Returns the XML list of all parts, in the required order, with their digests of the algorithm `digest`.
    private static func completion(of parts: [Int: S3Part], digest: DigestAlgorithm?) -> [UInt8] {
        let name = digest.flatMap(S3Checksum.element)
        var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
        for (number, part) in parts.sorted(by: { $0.key < $1.key }) {
            text += "<Part><PartNumber>\(number)</PartNumber>"
            text += "<ETag>\(XMLDocument.escaped(part.entityTag))</ETag>"
            if let name, let digest = part.digest {
                text += "<\(name)>\(S3Checksum.base64(digest))</\(name)>"
            }
            text += "</Part>"
        }
        return Array((text + "</CompleteMultipartUpload>").utf8)
    }

    private func send(_ range: Range<ByteCount>, digest: DigestAlgorithm?, in exchange: inout Exchange) {
        if let digest {
            exchange.digests.append(
                DigestRequest(digest, of: range, in: .init(S3Checksum.field(digest), .base64)))
        }
        guard !range.isEmpty else { return }
        exchange.body = .file(range: range)
        if address.isEncrypted {
            exchange.fields[.amzContentSHA256] = "UNSIGNED-PAYLOAD"
        } else {
            exchange.digests.append(DigestRequest(.sha256, of: range, in: .init(.amzContentSHA256, .hex)))
        }
    }
}

extension S3Options {
    func head(_ object: String) -> Exchange { Exchange(.head, object, fields: headFields) }

    func abort(_ url: String) -> Exchange { Exchange(.delete, url, fields: commonFields(sendsKeys: false)) }

    /// The header fields of a `HEAD` request that asks for digests.
    var headFields: HTTPFields {
        var fields = commonFields()
        fields[.named("x-amz-checksum-mode")] = "ENABLED"
        return fields
    }

    /// Returns the header fields of the request that creates an object.
    fileprivate func creationFields(of item: UploadItem) throws(UploadFailure) -> HTTPFields {
        var fields: HTTPFields = [.contentType: item.contentType]
        fields[.named("x-amz-storage-class")] = storageClass
        for parameter in item.parameters {
            guard let name = HTTPField.Name("x-amz-meta-\(parameter.name)") else {
                throw UploadFailure(
                    .permanent,
                    "a parameter's name cannot be S3 metadata: \(ServerText.cleaned(parameter.name))",
                    hint: "letters, digits and hyphens can")
            }
            fields.append(HTTPField(name: name, value: Self.metadata(parameter.value)))
        }
        for (name, value) in self.fields {
            guard let field = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw UploadFailure(
                    .permanent, "a field of the destination cannot be sent: \(ServerText.cleaned(name))",
                    hint: "check s3.fields")
            }
            fields[field] = value
        }
        return fields
    }

    /// Returns the configured header fields that all requests about the object contain.
    func commonFields(sendsKeys: Bool = true) -> HTTPFields {
        let prefixes =
            ["x-amz-request-payer", "x-amz-expected-bucket-owner"]
            + (sendsKeys ? ["x-amz-server-side-encryption-customer-"] : [])
        var fields = HTTPFields()
        for (name, value) in self.fields {
            guard let field = HTTPField.Name(name),
                prefixes.contains(where: { field.canonicalName.hasPrefix($0) })
            else { continue }
            fields[field] = value
        }
        return fields
    }

    /// Returns a metadata value in printable ASCII, with other characters encoded as in RFC 2047, as S3 does.
    private static func metadata(_ value: String) -> String {
        guard value.utf8.contains(where: { !(0x20...0x7E).contains($0) }) else { return value }
        return "=?UTF-8?B?\(S3Checksum.base64(Array(value.utf8)))?="
    }
}

extension HTTPField.Name {
    static let amzContentSHA256 = named("x-amz-content-sha256")
}
