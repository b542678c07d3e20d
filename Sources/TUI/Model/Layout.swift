/// The rows of each part of the screen, by the screen's size and whether the graph is shown.
struct Layout: Hashable, Sendable {
    enum SizeClass: Hashable, Sendable { case wide, standard, compact, tiny }

    let sizeClass: SizeClass
    let size: Size
    private(set) var list = 0..<0
    /// The rows of the details below the list. Other screens show them as a dialog.
    private(set) var details = 0..<0
    private(set) var graph = 0..<0
    private(set) var log = 0..<0

    init(_ size: Size, hasGraph: Bool = true) {
        self.size = size
        let rows = size.rows
        switch (size.columns, rows) {
        case (110..., 32...):
            sizeClass = .wide
            let end = rows - (hasGraph ? 11 : 7)
            (list, details, log) = (3..<(end - 8), (end - 7)..<end, (rows - 6)..<(rows - 1))
            if hasGraph { graph = (rows - 10)..<(rows - 7) }
        case (72..., 18...):
            sizeClass = .standard
            (list, log) = (3..<(rows - (hasGraph ? 4 : 3)), (rows - 3)..<(rows - 2))
            if hasGraph { graph = (rows - 4)..<(rows - 3) }
        case (36..., 6...):
            sizeClass = .compact
            list = 1..<(rows - 1)
        default: sizeClass = .tiny
        }
    }

    var hasTabs: Bool { sizeClass == .wide || sizeClass == .standard }

    var tabsRow: Int? { hasTabs ? 1 : nil }
    var headerRow: Int? { hasTabs ? 2 : nil }
    /// The row of a toast, and of a line about the upload under the cursor (`NoteView`); nil on a small screen.
    var noteRow: Int? { hasTabs ? size.rows - 2 : nil }
    var hintRow: Int? { sizeClass == .tiny ? nil : size.rows - 1 }
}
