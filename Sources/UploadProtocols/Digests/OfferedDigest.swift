import HTTPTypes

/// The digest that a server reports for a file that it has just received (`Repr-Digest`, RFC 9530), compared with the
/// file's.
///
/// It needs no computation before the request and no further request. The file's digest is computed only after a
/// response has reported one, when the file is still in the page cache.
enum OfferedDigest {
    static let algorithm = DigestAlgorithm.sha256
    /// The largest file: the server reads it once more before it responds, and a larger one could exceed the response
    /// timeout.
    static let largestFile: ByteCount = 1 << 30

    /// Requests the digest with the request that completes an upload of `size` bytes.
    static func ask(in exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice) {
        guard choice == .offered, (1...largestFile).contains(size), let key = ServerDigest.key(of: algorithm)
        else { return }
        exchange.fields[.wantReprDigest] = "\(key)=10"
        exchange.digestsIfTold = [DigestRequest(algorithm, of: 0..<size)]
    }

    /// Sets the digests of the file that are computed if the response reports the same ones in `source`. The request
    /// does not ask the server for them.
    static func take(
        _ algorithms: [DigestAlgorithm], in source: ServerDigest.Source, of exchange: inout Exchange,
        size: ByteCount, _ choice: ChecksumChoice
    ) {
        guard choice == .offered, (1...largestFile).contains(size) else { return }
        exchange.digestsIfTold = algorithms.map { DigestRequest($0, of: 0..<size) }
        exchange.toldIn = source
    }

    /// Returns the algorithm of the digest that a response confirms; nil if it reports none.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the server stored different bytes.
    static func verified(by answer: ExchangeOutcome.Response) throws(UploadFailure) -> DigestAlgorithm? {
        let found = FoundFile(headed: answer.fields)
        switch found.agrees(with: answer.digests) {
        case .same(let algorithm): return algorithm
        case .different(let algorithm):
            // The digest may describe the response's own body instead of the file (RFC 9530 §3.1).
            let text = ServerDigest(algorithm, RunningDigest.of(answer.body, algorithm))
            guard found.told.contains(text) else { throw DigestComparison.mismatch(algorithm) }
            return nil
        case nil: return nil
        }
    }
}
