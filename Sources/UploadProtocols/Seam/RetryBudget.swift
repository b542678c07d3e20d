/// Counts the setbacks in one attempt, which the server can recover from a few times of each kind.
struct RetryBudget: Sendable {
    enum Setback: Hashable, Sendable {
        /// The upload made no progress: a request added no or too few bytes to those that the server has stored.
        case standstill
        /// The server has stored fewer bytes than it had confirmed.
        case loss
        /// The received bytes differ from the sent ones.
        case damage
        case restart
        /// The state of the server differs from what it has reported before.
        case surprise
        /// The server does not support a feature in the request.
        case refusal
    }

    static let limit = 3

    private var spent: [Setback: Int] = [:]

    /// Counts a setback. Returns false if `limit` setbacks of this kind are reached, so that the attempt must end.
    mutating func allows(_ setback: Setback, limit: Int = limit) -> Bool {
        spent[setback, default: 0] += 1
        return spent[setback, default: 0] < limit
    }

    /// Counts a response that brought no progress. Returns the failure if there were too many.
    mutating func standstill(
        _ reason: String, _ category: UploadFailure.Category = .server
    ) -> UploadFailure? {
        allows(.standstill) ? nil : UploadFailure(category, reason)
    }

    /// Counts a response without the offset that it should have (`Upload-Offset`), as a standstill.
    mutating func missingOffset() -> UploadFailure? {
        var failure = standstill("the server does not say how much of the file it has")
        failure?.hint = "its response has no Upload-Offset; a proxy may remove it"
        return failure
    }

    /// Compares the offset that the server reports with the one that it confirmed before. A lower offset is a loss.
    /// After a request that sent bytes of the file, an offset below `end` that has grown by less than 1/64 of the range
    /// is a standstill: the same bytes could be sent for ever. Other growth resets the counts of standstills and of
    /// damage.
    ///
    /// - Parameter end: The end of the range that the last request sent; nil if it sent no bytes of the file.
    /// - Returns: The failure that ends the attempt, if there were too many setbacks; nil to continue.
    mutating func judge(
        _ offset: ByteCount, after before: ByteCount, sentTo end: ByteCount?
    ) -> UploadFailure? {
        let isStandstill = end.map { offset < $0 && offset - before < max(1, ($0 - before) / 64) } ?? false
        if offset > before, !isStandstill { (spent[.standstill], spent[.damage]) = (nil, nil) }
        if offset < before, !allows(.loss) {
            return UploadFailure(.server, "the server keeps losing what it had")
        }
        return isStandstill ? standstill("the server accepts bytes and does not keep them") : nil
    }
}
