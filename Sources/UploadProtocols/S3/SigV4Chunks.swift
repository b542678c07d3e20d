/// Signs the chunks of a body one after the other, each with the signature before it.
///
/// Source: Amazon S3 API reference, “Signature Calculations for the Authorization Header: Transferring Payload in
/// Multiple Chunks”.
public struct SigV4ChunkSigner: Sendable {
    private static let emptyHash = SigV4Encoding.hash([])

    let key: SigV4Key
    let scope: SigV4Scope
    fileprivate(set) var previous: String

    /// - Parameter hash: SHA-256 of the chunk in hexadecimal; the empty chunk's for the last.
    public mutating func sign(chunk hash: String) -> String {
        sign("AWS4-HMAC-SHA256-PAYLOAD", [Self.emptyHash, hash])
    }

    /// The empty chunk, which ends the body.
    public mutating func signEnd() -> String { sign(chunk: Self.emptyHash) }

    /// - Parameter lines: `name:value`, each with a line feed.
    public mutating func sign(trailer lines: String) -> String {
        sign("AWS4-HMAC-SHA256-TRAILER", [SigV4Encoding.hash(Array(lines.utf8))])
    }

    private mutating func sign(_ algorithm: String, _ hashes: [String]) -> String {
        let lines = [algorithm, scope.time, scope.text, previous] + hashes
        previous = key.signature(lines.joined(separator: "\n"))
        return previous
    }
}

/// What stands around a body that goes as one chunk: `Content-Encoding: aws-chunked`.
public struct AWSChunk: Hashable, Sendable {
    /// A field that follows the body.
    public struct Trailer: Hashable, Sendable {
        /// In lower case.
        public var name: String
        /// As it stands behind the colon.
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Before the content.
    public let prefix: [UInt8]
    /// After it, trailer and end included.
    public let suffix: [UInt8]

    /// - Parameters:
    ///   - length: Bytes; 0 leaves the chunk out.
    ///   - signing: SHA-256 of the content in hexadecimal, and what signs it; nil leaves the signatures out.
    public init(
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
