import Crypto
package import FerryFiles

/// The time, region and service for which a signature is valid.
package struct SigV4Scope: Hashable, Sendable {
    /// The time, such as `20130524T000000Z`.
    package let time: String
    /// The region, such as `us-east-1`.
    package let region: String
    /// The service, such as `s3`.
    package let service: String

    /// - Parameter date: The time by the server's clock, from which S3 allows a difference of 15 minutes.
    package init(_ date: Date, region: String, service: String = "s3") {
        time = date.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt))
        self.region = region
        self.service = service
    }

    var day: String { String(time.prefix(8)) }
    /// The scope as text: `20130524/us-east-1/s3/aws4_request`.
    package var text: String { "\(day)/\(region)/\(service)/aws4_request" }
}

/// The signing key for one day, region and service.
struct SigV4Key: Sendable {
    let key: SymmetricKey

    init(secret: String, scope: SigV4Scope) {
        var key = SymmetricKey(data: Array("AWS4\(secret)".utf8))
        for part in [scope.day, scope.region, scope.service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    var bytes: [UInt8] { key.withUnsafeBytes(Array.init) }

    func signature(_ text: String) -> String {
        SigV4Encoding.hex(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}

/// The signer of requests (AWS Signature Version 4).
package struct SigV4Signer: Sendable {
    /// The signature of one request, and the signed text.
    package struct Signature: Sendable {
        /// The signature in hexadecimal.
        package let text: String
        /// The text that was signed, for messages and tests.
        package let stringToSign: String
        /// The canonical request, whose hash is the last line of `stringToSign`.
        package let canonicalRequest: String
        /// The signer for the chunks of the request's body.
        package let chunks: SigV4ChunkSigner
        let signedFields: String

        /// Returns the value of the field `Authorization`.
        package func authorization(_ accessKey: String, _ scope: SigV4Scope) -> String {
            "\(SigV4Signer.algorithm) Credential=\(accessKey)/\(scope.text), SignedHeaders=\(signedFields), "
                + "Signature=\(text)"
        }
    }

    static let algorithm = "AWS4-HMAC-SHA256"

    /// The last derived key, with its secret, day, region and service. It is kept because deriving takes four HMACs.
    private var known: (source: [String], key: SigV4Key)?

    package init() {}

    /// Signs a request with the fields `host`, `x-amz-date`, and `x-amz-security-token` for a session token.
    package mutating func sign(
        _ request: SigV4Request, with credentials: S3Credentials, in scope: SigV4Scope
    ) -> Signature {
        let canonical = request.canonical
        let hash = SigV4Encoding.hash(Array(canonical.utf8))
        let stringToSign = "\(Self.algorithm)\n\(scope.time)\n\(scope.text)\n\(hash)"
        let key = key(credentials.secretKey, scope)
        let text = key.signature(stringToSign)
        return Signature(
            text: text, stringToSign: stringToSign, canonicalRequest: canonical,
            chunks: SigV4ChunkSigner(key: key, scope: scope, previous: text),
            signedFields: request.signedFields)
    }

    private mutating func key(_ secret: String, _ scope: SigV4Scope) -> SigV4Key {
        let source = [secret, scope.day, scope.region, scope.service]
        if let known, known.source == source { return known.key }
        let key = SigV4Key(secret: secret, scope: scope)
        known = (source, key)
        return key
    }
}

extension SigV4Signer: CustomReflectable {
    /// A mirror without children, because the derived key is a secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
