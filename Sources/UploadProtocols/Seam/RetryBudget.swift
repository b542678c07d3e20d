/// The setbacks of one attempt. A server may cause each kind a few times, because it may recover; then the attempt ends,
/// because the same requests would go there for ever.
struct RetryBudget: Sendable {
    /// A kind of setback.
    enum Setback: Hashable, Sendable {
        /// A response after which the server holds no more than before.
        case standstill
        /// The server holds less than it had confirmed.
        case loss
        /// Bytes arrived otherwise than they were sent.
        case damage
        /// The upload begins anew.
        case restart
        /// The state of the server is not the one that it had told.
        case surprise
        /// The server does not know something that the request asked for.
        case refusal
    }

    /// The number of setbacks of a kind that end an attempt.
    static let limit = 3

    private var spent: [Setback: Int] = [:]

    /// Counts a setback.
    ///
    /// - Returns: False if it is the last one.
    mutating func allows(_ setback: Setback, limit: Int = limit) -> Bool {
        spent[setback, default: 0] += 1
        return spent[setback, default: 0] < limit
    }

    /// Counts a response without progress.
    ///
    /// - Returns: The failure that ends the attempt; nil to go on.
    mutating func standstill(
        _ reason: String, _ category: UploadFailure.Category = .server
    ) -> UploadFailure? {
        allows(.standstill) ? nil : UploadFailure(category, reason)
    }

    /// Judges the offset that a server names.
    ///
    /// - Parameters:
    ///   - before: The offset that it had confirmed.
    ///   - hasSent: True after a request with bytes. A server that keeps nothing of them could be sent the same for ever.
    /// - Returns: The failure that ends the attempt; nil to go on.
    mutating func judge(
        _ offset: ByteCount, after before: ByteCount, hasSent: Bool
    ) -> UploadFailure? {
        if offset > before { (spent[.standstill], spent[.damage]) = (nil, nil) }
        if offset < before, !allows(.loss) {
            return UploadFailure(.server, "the server keeps losing what it had")
        }
        return hasSent && offset <= before
            ? standstill("the server accepts bytes and does not keep them") : nil
    }
}
