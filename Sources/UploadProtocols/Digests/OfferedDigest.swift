import HTTPTypes

/// The digest that a server tells of a file which it was just sent (`Repr-Digest`, RFC 9530), compared with the file's.
///
/// Nothing is computed before the request and nothing is asked by another one: the digest of the file is computed only
/// once an answer has told one, when the file has just been read.
enum OfferedDigest {
    static let algorithm = DigestAlgorithm.sha256
    /// The server reads the file once more before it answers. A larger one could take it longer than an answer may take.
    static let largestFile: ByteCount = 1 << 30

    /// Asks for the digest with the request that completes an upload of `size` bytes.
    static func ask(in exchange: inout Exchange, size: ByteCount, _ choice: ChecksumChoice) {
        guard choice == .offered, (1...largestFile).contains(size), let key = ServerDigest.key(of: algorithm)
        else { return }
        exchange.fields[.wantReprDigest] = "\(key)=10"
        exchange.digestsIfTold = [DigestRequest(algorithm, of: 0..<size)]
    }

    /// Has the file compared with what `source` of the answer tells without being asked, by any of `algorithms`.
    static func take(
        _ algorithms: [DigestAlgorithm], in source: ServerDigest.Source, of exchange: inout Exchange,
        size: ByteCount, _ choice: ChecksumChoice
    ) {
        guard choice == .offered, (1...largestFile).contains(size) else { return }
        exchange.digestsIfTold = algorithms.map { DigestRequest($0, of: 0..<size) }
        exchange.toldIn = source
    }

    /// The digest that an answer confirms; nil if it tells none.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the server holds something else.
    static func verified(by answer: ExchangeOutcome.Response) throws(UploadFailure) -> DigestAlgorithm? {
        let found = FoundFile(headed: answer.fields)
        switch found.agrees(with: answer.digests) {
        case .same(let algorithm): return algorithm
        case .different(let algorithm):
            // The digest of the answer's own text says nothing of the file (RFC 9530 §3.1).
            let text = ServerDigest(algorithm, RunningDigest.of(answer.body, algorithm))
            guard found.told.contains(text) else { throw DigestComparison.mismatch(algorithm) }
            return nil
        case nil: return nil
        }
    }
}
