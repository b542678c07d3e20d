/// Detects whether the terminal draws symbols of ambiguous width (UAX #11) in one cell or in two. For that, the
/// terminal draws `●` in the first column and reports the cursor's position.
struct WidthProbe: Sendable {
    /// The longest wait, in seconds, for the terminal to report the cursor's position. Without a report, symbols such
    /// as `●` are assumed to be one cell wide.
    static let timeout = 0.2
    /// The row of `●`, from 0. A report of the cursor's position in row 0 could also mean the key F3 with a modifier.
    static let row = 1

    /// The time at which the wait for the terminal's report ends, in seconds on the same clock as the argument of
    /// `init(now:)`.
    let deadline: Double

    init(now: Double) { deadline = now + Self.timeout }

    /// Returns true for Chinese, Japanese and Korean, whose fonts can draw symbols such as `●` in two cells.
    /// - Parameter locale: The name that setlocale(3) returns, such as `ja_JP.UTF-8`.
    static func isNeeded(locale: String) -> Bool {
        let language = locale.prefix { $0.isLetter }
        return ["ja", "ko", "zh"].contains(language)
    }

    /// Returns true if the reported position of the cursor shows that `●` took two cells.
    func isWide(_ cursor: Point) -> Bool { cursor == Point(row: Self.row, column: 2) }
}
