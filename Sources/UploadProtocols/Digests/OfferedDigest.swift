import HTTPTypes

/// The comparison of a file's digest with a digest that the server offers in a response, such as `Repr-Digest` (RFC
/// 9530).
///
/// Nothing is computed before the request. The file's digest is computed only after the response has reported one. The
/// file is then usually still in the page cache.
enum OfferedDigest {
    static let algorithm = DigestAlgorithm.sha256
    /// The maximum size of the file in bytes. The server reads the file once more before it responds. For a larger
    /// file, that could take longer than the response timeout.
    static let largestFile: ByteCount = 1 << 30

    /// Asks the server for a digest in the response to `exchange`, which completes an upload of `size` bytes. Does
    /// nothing if `choice` is not `offered`, or if the file is empty or larger than `largestFile`.
    static func ask(in exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice) {
        guard choice == .offered, (1...largestFile).contains(size), let key = ServerDigest.key(of: algorithm)
        else { return }
        exchange.fields[.wantReprDigest] = "\(key)=10"
        exchange.digestsIfReported = [DigestRequest(algorithm, of: 0..<size)]
    }

    /// Sets the digests to compute from the file after the response to `exchange`. A digest is computed only if the
    /// response reports one of the same algorithm in `source`. The request does not ask the server for a digest. Does
    /// nothing if `choice` is not `offered`, or if the file is empty or larger than `largestFile`.
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

    /// Returns the algorithm of the file's digest if the response reports the same digest; nil if it reports no digest
    /// of the file, or none was computed.
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
