/// Counts the setbacks in one attempt. The attempt continues after a few setbacks of each kind, because the server can
/// recover. When the setbacks of one kind reach a limit, the attempt ends. Without the limit, it could repeat the same
/// requests for ever.
struct RetryBudget: Sendable {
    enum Setback: Hashable, Sendable {
        /// The upload made no progress: a request added no bytes, or too few bytes, to those that the server has
        /// stored.
        case standstill
        /// The server has stored fewer bytes than it had confirmed.
        case loss
        /// The received bytes differ from the sent ones.
        case damage
        /// The upload starts again.
        case restart
        /// The state of the server differs from what the server has reported before.
        case surprise
        /// The server does not support a feature in the request.
        case refusal
    }

    /// The number of setbacks of one kind at which the attempt ends.
    static let limit = 3

    private var spent: [Setback: Int] = [:]

    /// Counts a setback.
    ///
    /// - Returns: True if the attempt can continue. False if `limit` setbacks of this kind are reached.
    mutating func allows(_ setback: Setback, limit: Int = limit) -> Bool {
        spent[setback, default: 0] += 1
        return spent[setback, default: 0] < limit
    }

    /// Counts a response that brought no progress.
    ///
    /// - Returns: The failure that ends the attempt, if there were too many such responses; nil to continue.
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

    /// Compares the offset that the server reports with the one that it confirmed before. Counts a loss if the offset
    /// is lower. Counts a standstill if the last request sent bytes of the file, but the offset has grown too little.
    /// If the offset has grown enough, resets the counts of standstills and of damage.
    ///
    /// - Parameter end: The end of the range that the last request sent; nil if it sent no bytes of the file. The
    ///   growth is too little if the offset is below `end` and has grown by less than 1/64 of the range. Without this
    ///   rule, the same bytes could be sent for ever.
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
