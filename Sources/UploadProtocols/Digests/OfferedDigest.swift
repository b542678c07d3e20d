import HTTPTypes

/// The comparison of the file's digest with one that the server reports, if the configuration does not require one. It
/// is computed only then, when the file is usually still in the page cache.
enum OfferedDigest {
    static let algorithm = DigestAlgorithm.sha256
    /// The maximum size, in bytes, of a file whose digests are compared. The server must read the whole file once more
    /// before it responds, and for a larger one that could take longer than the response timeout.
    static let largestFile: ByteCount = 1 << 30

    /// Makes `exchange` ask for the file's digest by `Want-Repr-Digest`, in the same cases as `take`.
    static func ask(in exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice) {
        take([algorithm], in: .fields, of: &exchange, size: size, choice)
        if !exchange.digestsIfReported.isEmpty { exchange.fields[.wantReprDigest] = "sha-256=10" }
    }

    /// Sets the digests to compute after the response to `exchange`, if `source` in it contains one of the same
    /// algorithm. Does nothing if `choice` is not `offered`, or for an empty file or one above `largestFile`. `range`
    /// is what the response describes; nil for the whole file.
    static func take(
        _ algorithms: [DigestAlgorithm], range: Range<ByteCount>? = nil, in source: ServerDigest.Source,
        of exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice
    ) {
        guard choice == .offered, (1...largestFile).contains(size) else { return }
        exchange.digestsIfReported = algorithms.map { DigestRequest($0, of: range ?? 0..<size) }
        exchange.reportedIn = source
    }

    /// Returns the algorithm of a computed digest that equals the response's. Returns nil if there is no digest to
    /// compare, or if the response's digest is that of the response's own body.
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
