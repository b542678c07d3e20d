/// The request for the width of symbols that Unicode calls ambiguous (UAX #11). The terminal draws `●` in the first
/// column and reports the cursor's position.
struct WidthProbe: Sendable {
    /// The seconds after which a terminal without a response is assumed to draw narrow symbols.
    static let timeout = 0.2
    /// The row of the symbol, from 0. A response about row 0 could also mean the key F3 with a modifier.
    static let row = 1

    /// The time, in seconds on the model's clock, until which the response is awaited.
    let deadline: Double

    init(now: Double) { deadline = now + Self.timeout }

    /// Returns true for locales whose fonts can draw ambiguous symbols in two cells: Chinese, Japanese and Korean.
    /// - Parameter locale: The name that setlocale(3) returns, such as `ja_JP.UTF-8`.
    static func isNeeded(locale: String) -> Bool {
        let language = locale.prefix { $0.isLetter }
        return ["ja", "ko", "zh"].contains(language)
    }

    /// Returns true if the symbol took two cells.
    func isWide(_ cursor: Point) -> Bool { cursor == Point(row: Self.row, column: 2) }
}
