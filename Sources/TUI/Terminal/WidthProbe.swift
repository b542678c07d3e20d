/// Detects whether the terminal draws symbols of ambiguous width (UAX #11) in two cells: it draws `●` in the first
/// column and reports the cursor's position.
struct WidthProbe: Sendable {
    /// The seconds to wait for the report. Without one, a cell is assumed.
    static let timeout = 0.2
    /// The row of `●`. A report of row 0 could also mean the key F3 with a modifier.
    static let row = 1

    let deadline: Double

    init(now: Double) { deadline = now + Self.timeout }

    /// Returns true for Chinese, Japanese and Korean, whose fonts can draw `●` in two cells.
    static func isNeeded(locale: String) -> Bool {
        let language = locale.prefix { $0.isLetter }
        return ["ja", "ko", "zh"].contains(language)
    }

    func isWide(_ cursor: Point) -> Bool { cursor == Point(row: Self.row, column: 2) }
}
