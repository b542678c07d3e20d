/// The columns of the upload list, from left to right.
struct Columns: Hashable, Sendable {
    enum Column: CaseIterable, Hashable, Sendable {
        case number, sign, word, name, batch, size, bar, percent, rate, remaining, target
    }

    /// The cells of the two symbols before each row: for the cursor and for a mark.
    static let markWidth = 2
    static let wordWidth = 8
    static let rateWidth = 7
    /// The cells that the name gets before the target grows. The target then gets at least three quarters of the rest,
    /// because it also shows messages, and more if all visible names are shorter.
    private static let longestName = 48
    /// The cells to which the name column shrinks for short names on a wide screen.
    private static let shortestName = 24

    /// The steps that make the columns fit on a narrow screen; a width of 0 removes the column.
    private static let steps: [(column: Column, width: Int)] = [
        (.batch, 0), (.target, 0), (.number, 0), (.size, 0), (.bar, 8), (.bar, 0), (.remaining, 0),
        (.word, 0), (.rate, 0),
    ]

    private var spans: [Column: Range<Int>] = [:]

    /// The cells of a column. A dropped column is empty, but a message can begin at its lower bound.
    subscript(column: Column) -> Range<Int> { spans[column] ?? 0..<0 }

    func has(_ column: Column) -> Bool { !self[column].isEmpty }

    /// - Parameter longest: Returns the width of the longest visible name, if the target column can get more cells.
    init(width: Int, hasBatches: Bool = false, longest: () -> Int = { .max }) {
        // The bar is long only if there is space for all columns.
        var widths: [Column: Int] = [
            .number: 6, .sign: 1, .word: Self.wordWidth, .batch: 12, .size: 5, .percent: 4,
            .bar: width >= 110 ? min(40, 20 + max(0, width - 120) / 4) : 13,
            .rate: Self.rateWidth, .remaining: 8, .target: 16,
        ]
        var room: Int {
            let used = widths.values.filter { $0 > 0 }.reduce(Self.markWidth) { $0 + $1 + 1 }
            return max(0, width - used - (widths[.target] == 0 ? 0 : 1))
        }
        for (taken, step) in Self.steps.enumerated() {
            let isWideEnough = room >= (taken == 0 ? 20 : taken < 3 ? 24 : 16)
            if isWideEnough, taken > 0 || hasBatches { break }
            widths[step.column] = step.width
        }
        // A name is rarely longer than `longestName`, but a message often is.
        let spare = widths[.target] == 0 ? 0 : max(0, room - Self.longestName)
        var tail = spare * 3 / 4
        if spare > 0 {
            // In steps of eight cells, so that the columns rarely move when the list scrolls.
            let needed = (min(room, longest()) + 7) / 8 * 8
            tail = max(tail, room - max(Self.shortestName, needed))
        }
        (widths[.name], widths[.target]) = (room - tail, widths[.target, default: 0] + tail)
        var start = Self.markWidth
        for column in Column.allCases {
            if column == .target { start += 1 }
            let end = start + widths[column, default: 0]
            spans[column] = start..<end
            if end > start { start = end + 1 }
        }
    }
}
