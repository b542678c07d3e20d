import HTTPTypes

/// Makes the requests for the upload of one file. The requests are not signed.
struct S3Requests: Sendable {
    private let item: UploadItem
    private let options: S3Options
    private let isEncrypted: Bool
    private let creationFields: HTTPFields

    /// - Throws: `UploadFailure` (`permanent`) if the configured fields or the file's metadata cannot be sent.
    init(item: UploadItem, options: S3Options, isEncrypted: Bool) throws(UploadFailure) {
        self.item = item
        self.options = options
        self.isEncrypted = isEncrypted
        creationFields = try S3CreationFields.make(item: item, options: options)
    }

    /// Makes the `PUT` request that sends the whole file to the URL `object`. If `onlyNew` is true, the request asks
    /// the server to refuse it when there is an object at the URL.
    func put(_ object: String, digest: DigestAlgorithm?, onlyNew: Bool) -> Exchange {
        var exchange = Exchange(
            .put, object, fields: creationFields, traits: [.idempotent, .completes])
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
        var exchange = Exchange(
            .put, session.object + query, fields: S3CreationFields.always(options))
        exchange.part = number
        send(range, digest: session.checksum, in: &exchange)
        return exchange
    }

    func list(_ session: S3Session, after marker: Int?) -> Exchange {
        let query =
            marker.map {
                S3Address.query(["part-number-marker": "\($0)", "uploadId": session.uploadID])
            } ?? S3Address.query(["uploadId": session.uploadID])
        return Exchange(
            .get, session.object + query, fields: S3CreationFields.always(options))
    }

    /// Makes the request that joins the stored parts into the object.
    ///
    /// - Parameters:
    ///   - onlyNew: True to ask the server to refuse the request if there is an object at the URL.
    ///   - declaresDigest: True to send the digests of the parts, so that the server can compare them with its own. If
    ///     the algorithm is a CRC and the digest of the whole object is known, this digest is sent too.
    func complete(
        _ session: S3Session, _ parts: [Int: S3Part], onlyNew: Bool, declaresDigest: Bool
    ) -> Exchange {
        var fields = S3CreationFields.always(options)
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
        var exchange = Exchange(
            .post, session.url, fields: fields,
            body: .bytes(
                S3CompletionDocument.bytes(parts, digest: declaresDigest ? session.checksum : nil)),
            traits: [.idempotent, .completes])
        // "It may take several minutes". During this time, the server sends white space (API of
        // CompleteMultipartUpload).
        exchange.traits.insert(.slowResponse)
        return exchange
    }

    func head(_ object: String) -> Exchange {
        Exchange(.head, object, fields: headFields)
    }

    /// The header fields of a `HEAD` request that asks for digests.
    var headFields: HTTPFields {
        var fields = S3CreationFields.always(options)
        fields[.named("x-amz-checksum-mode")] = "ENABLED"
        return fields
    }

    static func abort(_ url: String, _ options: S3Options) -> Exchange {
        Exchange(.delete, url, fields: S3CreationFields.always(options, sendsKeys: false))
    }

    private func send(_ range: Range<ByteCount>, digest: DigestAlgorithm?, in exchange: inout Exchange) {
        if let digest {
            exchange.digests.append(
                DigestRequest(digest, of: range, in: .init(S3Checksum.field(digest), .base64)))
        }
        guard !range.isEmpty else { return }
        exchange.body = .file(range: range)
        if isEncrypted {
            exchange.fields[.amzContentSHA256] = "UNSIGNED-PAYLOAD"
        } else {
            exchange.digests.append(DigestRequest(.sha256, of: range, in: .init(.amzContentSHA256, .hex)))
        }
    }
}

/// The header fields of the request that creates an object, and the fields for all requests about the object.
enum S3CreationFields {
    static func make(item: UploadItem, options: S3Options) throws(UploadFailure) -> HTTPFields {
        var fields: HTTPFields = [.contentType: item.contentType]
        fields[.named("x-amz-storage-class")] = options.storageClass
        for parameter in item.parameters {
            guard let name = HTTPField.Name("x-amz-meta-\(parameter.name)") else {
                throw UploadFailure(
                    .permanent,
                    "a parameter's name cannot be S3 metadata: \(ServerText.cleaned(parameter.name))",
                    hint: "letters, digits and hyphens can")
            }
            fields.append(HTTPField(name: name, value: metadata(parameter.value)))
        }
        for (name, value) in options.fields {
            guard let field = HTTPField.Name(name), HTTPField.isValidValue(value) else {
                throw UploadFailure(
                    .permanent, "a field of the destination cannot be sent: \(ServerText.cleaned(name))",
                    hint: "check s3.fields")
            }
            fields[field] = value
        }
        return fields
    }

    /// Returns those configured header fields that all requests about the object contain. They are the encryption keys
    /// of the customer, `x-amz-request-payer` and `x-amz-expected-bucket-owner`.
    ///
    /// - Parameter sendsKeys: False to leave out the encryption keys.
    static func always(_ options: S3Options, sendsKeys: Bool = true) -> HTTPFields {
        let prefixes =
            ["x-amz-request-payer", "x-amz-expected-bucket-owner"]
            + (sendsKeys ? ["x-amz-server-side-encryption-customer-"] : [])
        var fields = HTTPFields()
        for (name, value) in options.fields {
            guard let field = HTTPField.Name(name),
                prefixes.contains(where: { field.canonicalName.hasPrefix($0) })
            else { continue }
            fields[field] = value
        }
        return fields
    }

    /// Returns a metadata value in printable ASCII. A value with other characters is encoded as in RFC 2047. S3 itself
    /// uses this encoding too.
    private static func metadata(_ value: String) -> String {
        guard value.utf8.contains(where: { !(0x20...0x7E).contains($0) }) else { return value }
        return "=?UTF-8?B?\(S3Checksum.base64(Array(value.utf8)))?="
    }
}

extension HTTPField.Name {
    static let amzContentSHA256 = named("x-amz-content-sha256")
}
