import HTTPTypes

/// The comparison of the file's digest with a digest that the server reports, for example in `Repr-Digest` (RFC 9530).
/// It is used if the configuration allows such a digest but does not require one.
///
/// Ferry computes the file's digest only after a response has reported the server's digest. At that time, the file is
/// usually still in the page cache.
enum OfferedDigest {
    static let algorithm = DigestAlgorithm.sha256
    /// The maximum size, in bytes, of a file whose digests are compared. If Ferry asks for a digest, the server reads
    /// the file once more before it responds. For a larger file, that could take longer than the response timeout.
    static let largestFile: ByteCount = 1 << 30

    /// Makes `exchange` ask the server for the file's digest, by the field `Want-Repr-Digest`. `exchange` is the
    /// request that completes an upload of `size` bytes. Does nothing if `choice` is not `offered`, or if the file is
    /// empty or larger than `largestFile`.
    static func ask(in exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice) {
        guard choice == .offered, (1...largestFile).contains(size), let key = ServerDigest.key(of: algorithm)
        else { return }
        exchange.fields[.wantReprDigest] = "\(key)=10"
        exchange.digestsIfReported = [DigestRequest(algorithm, of: 0..<size)]
    }

    /// Sets the digests of the file to compute after the response to `exchange`. Each digest is computed only if
    /// `source` in that response contains a digest of the same algorithm. The request itself does not ask the server
    /// for a digest. Does nothing if `choice` is not `offered`, or if the file is empty or larger than `largestFile`.
    ///
    /// - Parameter range: The bytes that the response describes; nil for the whole file.
    static func take(
        _ algorithms: [DigestAlgorithm], range: Range<ByteCount>? = nil, in source: ServerDigest.Source,
        of exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice
    ) {
        guard choice == .offered, (1...largestFile).contains(size) else { return }
        exchange.digestsIfReported = algorithms.map { DigestRequest($0, of: range ?? 0..<size) }
        exchange.reportedIn = source
    }

    /// Compares a computed digest of the file with the response's digest of the same algorithm. Returns the algorithm
    /// if the two are equal. Returns nil if there is no such pair, or if the response's digest is that of the
    /// response's own body.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the server stored different bytes.
    static func verified(by response: ExchangeOutcome.Response) throws(UploadFailure) -> DigestAlgorithm? {
        let found = FoundFile(headed: response.fields)
        switch found.agrees(with: response.digests) {
        case .same(let algorithm): return algorithm
        case .different(let algorithm):
            // The digest may describe the response's own body instead of the file (RFC 9530 §3.1).
            let text = ServerDigest(algorithm, RunningDigest.of(response.body, algorithm))
            guard found.reported.contains(text) else { throw DigestComparison.mismatch(algorithm) }
            return nil
        case nil: return nil
        }
    }
}
