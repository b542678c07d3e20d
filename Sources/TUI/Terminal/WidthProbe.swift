/// The question how many cells a sign takes to which Unicode gives one or two (UAX #11, ambiguous): `●`, drawn at the
/// beginning of a line, and where the cursor is then.
struct WidthProbe: Sendable {
    /// Seconds after which a terminal that says nothing is taken for one of one cell.
    static let patience = 0.2
    /// The line it is drawn in, from 0. Not the first: an answer about that one could be F3 with a modifier.
    static let row = 1

    /// On the clock that never jumps.
    let deadline: Double

    init(now: Double) { deadline = now + Self.patience }

    /// True where fonts give such signs two cells: with Chinese, Japanese and Korean.
    /// - Parameter locale: As setlocale(3) names it, `ja_JP.UTF-8`.
    static func isNeeded(locale: String) -> Bool {
        let language = locale.prefix { $0.isLetter }
        return ["ja", "ko", "zh"].contains(language)
    }

    /// True if the sign took two cells.
    func isWide(_ cursor: Point) -> Bool { cursor == Point(row: Self.row, column: 2) }
}
