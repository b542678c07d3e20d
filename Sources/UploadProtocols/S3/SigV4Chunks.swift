/// Signs the chunks of a request body one after another. Each signature includes the signature of the previous chunk
/// (Amazon S3 API reference, “Signature Calculations for the Authorization Header: Transferring Payload in Multiple
/// Chunks”).
package struct SigV4ChunkSigner: Sendable {
    private static let emptyHash = SigV4Encoding.hash([])

    let key: SigV4Key
    let scope: SigV4Scope
    /// The signature of the previous chunk; before the first chunk, the signature of the request.
    fileprivate(set) var previous: String

    /// Returns the signature of the next chunk, whose SHA-256 in hexadecimal is `hash`.
    package mutating func sign(chunk hash: String) -> String {
        sign("AWS4-HMAC-SHA256-PAYLOAD", [Self.emptyHash, hash])
    }

    /// Returns the signature of the empty chunk at the end of the body.
    package mutating func signEnd() -> String { sign(chunk: Self.emptyHash) }

    /// Returns the signature of the trailer, whose fields are lines `name:value`, each with a line feed at its end.
    package mutating func sign(trailer lines: String) -> String {
        sign("AWS4-HMAC-SHA256-TRAILER", [SigV4Encoding.hash(Array(lines.utf8))])
    }

    private mutating func sign(_ algorithm: String, _ hashes: [String]) -> String {
        let lines = [algorithm, scope.time, scope.text, previous] + hashes
        previous = key.signature(lines.joined(separator: "\n"))
        return previous
    }
}

/// The bytes before and after a request body in the encoding `aws-chunked`. The body is sent as one chunk.
package struct AWSChunk: Hashable, Sendable {
    /// A trailer field: a header field that is sent after the body.
    package struct Trailer: Hashable, Sendable {
        /// The name of the field, in lower case.
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
    ///   - length: The number of bytes in the content. If it is 0, the only chunk is the empty one at the end.
    ///   - trailer: The field that is sent after the content; nil for none.
    ///   - signing: The content's SHA-256 in hexadecimal, and the signer; nil for chunks without signatures.
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
