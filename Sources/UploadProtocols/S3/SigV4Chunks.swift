/// The signer for the chunks of a body, in order. Each signature includes the signature of the previous chunk.
///
/// The source is the Amazon S3 API reference, “Signature Calculations for the Authorization Header: Transferring
/// Payload in Multiple Chunks”.
package struct SigV4ChunkSigner: Sendable {
    private static let emptyHash = SigV4Encoding.hash([])

    let key: SigV4Key
    let scope: SigV4Scope
    /// The signature of the previous chunk; before the first chunk, the signature of the request.
    fileprivate(set) var previous: String

    /// Returns the signature of the next chunk.
    ///
    /// - Parameter hash: The SHA-256 of the chunk in hexadecimal.
    package mutating func sign(chunk hash: String) -> String {
        sign("AWS4-HMAC-SHA256-PAYLOAD", [Self.emptyHash, hash])
    }

    /// Signs the empty chunk that ends the body.
    package mutating func signEnd() -> String { sign(chunk: Self.emptyHash) }

    /// Returns the signature of the trailer.
    ///
    /// - Parameter lines: The lines `name:value`, each with a line feed.
    package mutating func sign(trailer lines: String) -> String {
        sign("AWS4-HMAC-SHA256-TRAILER", [SigV4Encoding.hash(Array(lines.utf8))])
    }

    private mutating func sign(_ algorithm: String, _ hashes: [String]) -> String {
        let lines = [algorithm, scope.time, scope.text, previous] + hashes
        previous = key.signature(lines.joined(separator: "\n"))
        return previous
    }
}

/// The bytes around a body that is sent as one chunk: `Content-Encoding: aws-chunked`.
package struct AWSChunk: Hashable, Sendable {
    /// A trailer field, which follows the body.
    package struct Trailer: Hashable, Sendable {
        /// The name in lower case.
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The bytes before the content.
    package let prefix: [UInt8]
    /// The bytes after the content: the end of the chunk, the empty last chunk and the trailer.
    package let suffix: [UInt8]

    /// - Parameters:
    ///   - length: The number of content bytes. With 0 there is only the empty last chunk.
    ///   - signing: The SHA-256 of the content in hexadecimal, and the signer; nil omits the signatures.
    package init(
        length: ByteCount, trailer: Trailer?, signing: (hash: String, signer: SigV4ChunkSigner)? = nil
    ) {
        var signer = signing?.signer
        var head = ""
        if length > 0 {
            head = String(length, radix: 16)
            if let signing, let signature = signer?.sign(chunk: signing.hash) {
                head += ";chunk-signature=\(signature)"
            }
            head += "\r\n"
        }
        var tail = length > 0 ? "\r\n0" : "0"
        if let signature = signer?.signEnd() { tail += ";chunk-signature=\(signature)" }
        tail += "\r\n"
        if let trailer {
            tail += "\(trailer.name):\(trailer.value)\r\n"
            if let signature = signer?.sign(trailer: "\(trailer.name):\(trailer.value)\n") {
                tail += "x-amz-trailer-signature:\(signature)\r\n"
            }
        }
        prefix = Array(head.utf8)
        suffix = Array((tail + "\r\n").utf8)
    }
}
