/// The queue as a table: a header, and a line per upload. It fits the terminal from about 40 columns on.
package struct ListTable: Sendable {
    /// The texts of one upload, with the most important remark or an empty one.
    package typealias Row = (
        number: String, state: String, size: String, progress: String, name: String, destination: String,
        remark: String
    )

    private let rows: [Row]
    private let columns: Int
    private let ellipsis: String
    private let numberWidth: Int
    private let nameWidth: Int
    private let destinationWidth: Int

    private static let stateWidth = 7
    private static let sizeWidth = 5
    private static let progressWidth = 4
    private static let longestDestination = 20
    private static let shortestName = 12
    /// The smallest width at which a cut remark is still useful.
    private static let shortestRemark = 12

    /// The known facts about the rows that follow the first ones.
    package struct Rest: Sendable {
        let largestNumber: Int
        let hasSeveralDestinations: Bool

        package init(largestNumber: Int, hasSeveralDestinations: Bool) {
            self.largestNumber = largestNumber
            self.hasSeveralDestinations = hasSeveralDestinations
        }
    }

    /// - Parameters:
    ///   - rows: The first rows.
    ///   - rest: The rows that follow, for which the columns have as much space as possible; nil if there are none.
    ///   - columns: The width of the terminal.
    package init(_ rows: [Row], before rest: Rest? = nil, columns: Int, isUnicode: Bool) {
        self.rows = rows
        self.columns = max(20, columns)
        ellipsis = Glyphs(isUnicode: isUnicode).ellipsis
        numberWidth = max(
            2, rest.map { String($0.largestNumber).count } ?? 0, rows.map { $0.number.count }.max() ?? 0)
        let fixed = numberWidth + Self.stateWidth + Self.sizeWidth + Self.progressWidth + 4 * 2
        let room = max(Self.shortestName, self.columns - fixed)
        let longestName = rest == nil ? max(4, rows.map { SafeText($0.name).width }.max() ?? 0) : room
        let longestTarget = max(
            rest?.hasSeveralDestinations == true ? Self.longestDestination : 2,
            rows.map { SafeText($0.destination).width }.max() ?? 0)
        // Without space for both columns, the name is more useful.
        let target = min(longestTarget, Self.longestDestination, room - Self.shortestName - 2)
        destinationWidth = target >= 4 || target == longestTarget ? target : 0
        let forName = room - (destinationWidth > 0 ? destinationWidth + 2 : 0)
        let hasRemarks = rest != nil || rows.contains { !$0.remark.isEmpty }
        let wanted = hasRemarks ? max(Self.shortestName, forName - forName / 3 - 2) : forName
        nameWidth = min(longestName, wanted)
    }

    /// The header, then the first rows.
    package var lines: [String] { lines(of: [("ID", "STATE", "SIZE", "DONE", "NAME", "TO", "")] + rows) }

    /// Returns the lines of rows that follow the first ones.
    package func lines(of rows: [Row]) -> [String] { rows.map(line) }

    private func line(_ row: Row) -> String {
        var cells = [
            padded(row.number, max(numberWidth, row.number.count), right: true),
            padded(row.state, Self.stateWidth),
            padded(row.size, Self.sizeWidth, right: true),
            padded(row.progress, Self.progressWidth, right: true), padded(row.name, nameWidth),
        ]
        if destinationWidth > 0 { cells.append(padded(row.destination, destinationWidth)) }
        let line = cells.joined(separator: "  ")
        let used = CellWidth.of(line) + 2
        guard !row.remark.isEmpty, columns - used >= Self.shortestRemark else {
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        return "\(line)  \(SafeText(row.remark).truncated(to: columns - used, ellipsis: ellipsis).text)"
    }

    private func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let fitted = SafeText(text).fitted(to: width, ellipsis: ellipsis)
        let room = String(repeating: " ", count: max(0, width - fitted.width))
        return right ? room + fitted.text : fitted.text + room
    }
}
