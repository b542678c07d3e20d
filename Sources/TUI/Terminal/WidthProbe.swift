/// The question for the width of signs that Unicode calls ambiguous (UAX #11). It draws `●` at the start of a line and
/// asks for the cursor.
struct WidthProbe: Sendable {
    /// The seconds after which a silent terminal counts as one of narrow signs.
    static let timeout = 0.2
    /// The row of the question, from 0. In the first row, the reply could be F3 with a modifier.
    static let row = 1

    /// The time on the clock that never jumps at which the question is given up.
    let deadline: Double

    init(now: Double) { deadline = now + Self.timeout }

    /// Returns true for locales whose fonts may give such signs two cells: Chinese, Japanese and Korean.
    /// - Parameter locale: The name of setlocale(3), such as `ja_JP.UTF-8`.
    static func isNeeded(locale: String) -> Bool {
        let language = locale.prefix { $0.isLetter }
        return ["ja", "ko", "zh"].contains(language)
    }

    /// Returns true if the sign took two cells.
    func isWide(_ cursor: Point) -> Bool { cursor == Point(row: Self.row, column: 2) }
}
