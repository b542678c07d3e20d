/// The columns of the upload list, and the cells that each column takes.
struct Columns: Hashable, Sendable {
    /// The columns from left to right.
    enum Column: CaseIterable, Hashable, Sendable {
        case number, sign, word, name, batch, size, bar, percent, rate, remaining, target
    }

    /// The width in cells of the two symbols before each row: one for the cursor, one for a marked upload.
    static let markWidth = 2
    static let wordWidth = 8
    static let rateWidth = 7
    /// The width, in cells, that the name column takes before the column of the destination (`target`) grows. Of the
    /// remaining cells, `target` gets at least three quarters, because it also shows messages. If all visible names are
    /// shorter than the name column, `target` gets more.
    private static let longestName = 48
    /// The smallest width, in cells, to which the name column shrinks if all visible names are short. The target column
    /// gets the cells that become free. On a narrow screen, the name column can be narrower than this.
    private static let shortestName = 24

    /// The steps that make the columns fit on a narrow screen, from the first to the last. Each step reduces one column
    /// to the given width; 0 removes the column.
    private static let steps: [(column: Column, width: Int)] = [
        (.batch, 0), (.target, 0), (.number, 0), (.size, 0), (.bar, 8), (.bar, 0), (.remaining, 0),
        (.word, 0), (.rate, 0),
    ]

    private var spans: [Column: Range<Int>] = [:]

    /// The cells that a column takes, counted from 0 at the left edge. The range of a dropped column is empty, but its
    /// lower bound is valid: a message can begin there.
    subscript(column: Column) -> Range<Int> { spans[column] ?? 0..<0 }

    func has(_ column: Column) -> Bool { !self[column].isEmpty }

    /// - Parameters:
    ///   - hasBatches: True if any upload has a batch. Otherwise the batch column is left out.
    ///   - longest: Returns the width in cells of the longest visible name. It is called only if the screen is so wide
    ///     that the target column can get more cells.
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
