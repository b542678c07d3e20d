/// The count of setbacks in one attempt. The attempt continues after a few setbacks of each kind, because the server
/// can recover. At the limit, the attempt ends, so that it does not repeat the same requests for ever.
struct RetryBudget: Sendable {
    enum Setback: Hashable, Sendable {
        /// The request added no bytes to those that the server has stored, or too few: see `judge`.
        case standstill
        /// The server has stored fewer bytes than it had confirmed.
        case loss
        /// The received bytes differ from the sent ones.
        case damage
        /// The upload starts again.
        case restart
        /// The state of the server differs from its earlier report.
        case surprise
        /// The server does not support a feature in the request.
        case refusal
    }

    /// The number of setbacks of one kind at which the attempt ends.
    static let limit = 3

    private var spent: [Setback: Int] = [:]

    /// Counts a setback.
    ///
    /// - Returns: False if the limit is reached.
    mutating func allows(_ setback: Setback, limit: Int = limit) -> Bool {
        spent[setback, default: 0] += 1
        return spent[setback, default: 0] < limit
    }

    /// Counts a response without progress.
    ///
    /// - Returns: The failure that ends the attempt; nil to continue.
    mutating func standstill(
        _ reason: String, _ category: UploadFailure.Category = .server
    ) -> UploadFailure? {
        allows(.standstill) ? nil : UploadFailure(category, reason)
    }

    /// Checks the offset that the server reports, and counts a standstill or a loss. Progress resets the counts of
    /// standstills and of damage.
    ///
    /// - Parameters:
    ///   - before: The offset that the server had confirmed before.
    ///   - end: The end of the range that the request sent; nil if it sent no bytes of the file. An offset that has
    ///     grown by less than 1/64 of the range counts as a standstill. Without this count, the same bytes could be
    ///     sent for ever.
    /// - Returns: The failure that ends the attempt; nil to continue.
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
