import FerryProtocols

/// The queue as a table for a terminal: a header, and a line per upload, as wide as the terminal.
package struct ListTable: Sendable {
    /// The texts of one upload.
    package struct Row: Sendable {
        package var number: Int
        package var state: String
        package var size: String
        package var progress: String
        package var name: String
        package var destination: String
        /// The most important remark on the upload; empty if there is none.
        package var remark: String

        package init(
            number: Int, state: String, size: String, progress: String, name: String, destination: String,
            remark: String
        ) {
            (self.number, self.state, self.size, self.progress) = (number, state, size, progress)
            (self.name, self.destination, self.remark) = (name, destination, remark)
        }
    }

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

    /// - Parameter columns: The width of the terminal.
    package init(_ rows: [Row], columns: Int, isUnicode: Bool) {
        self.rows = rows
        self.columns = max(20, columns)
        ellipsis = Glyphs(isUnicode: isUnicode).ellipsis
        numberWidth = max(2, rows.map { String($0.number).count }.max() ?? 0)
        let fixed = numberWidth + Self.stateWidth + Self.sizeWidth + Self.progressWidth + 4 * 2
        let room = max(Self.shortestName, self.columns - fixed)
        let longestName = max(4, rows.map { SafeText($0.name).width }.max() ?? 0)
        let longestTarget = max(2, rows.map { SafeText($0.destination).width }.max() ?? 0)
        // Without space for both columns, the name is more useful.
        let target = min(longestTarget, Self.longestDestination, room - Self.shortestName - 2)
        destinationWidth = target >= 4 || target == longestTarget ? target : 0
        let forName = room - (destinationWidth > 0 ? destinationWidth + 2 : 0)
        let hasRemarks = rows.contains { !$0.remark.isEmpty }
        let wanted = hasRemarks ? max(Self.shortestName, forName - forName / 3 - 2) : forName
        nameWidth = min(longestName, wanted)
    }

    /// The header, then the uploads.
    package var lines: [String] {
        [line("ID", "STATE", "SIZE", "DONE", "NAME", "TO", "")]
            + rows.map {
                line("\($0.number)", $0.state, $0.size, $0.progress, $0.name, $0.destination, $0.remark)
            }
    }

    private func line(
        _ number: String, _ state: String, _ size: String, _ progress: String, _ name: String,
        _ destination: String, _ remark: String
    ) -> String {
        var cells = [
            padded(number, numberWidth, right: true), padded(state, Self.stateWidth),
            padded(size, Self.sizeWidth, right: true), padded(progress, Self.progressWidth, right: true),
            padded(name, nameWidth),
        ]
        if destinationWidth > 0 { cells.append(padded(destination, destinationWidth)) }
        let line = cells.joined(separator: "  ")
        let used =
            cells.count * 2 + numberWidth + Self.stateWidth + Self.sizeWidth + Self.progressWidth
            + nameWidth + destinationWidth
        guard !remark.isEmpty, columns - used >= Self.shortestRemark else { return Self.trimmed(line) }
        return "\(line)  \(SafeText(remark).truncated(to: columns - used, ellipsis: ellipsis).text)"
    }

    private func padded(_ text: String, _ width: Int, right: Bool = false) -> String {
        let fitted = SafeText(text).fitted(to: width, ellipsis: ellipsis)
        let room = String(repeating: " ", count: max(0, width - fitted.width))
        return right ? room + fitted.text : fitted.text + room
    }

    private static func trimmed(_ line: String) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
