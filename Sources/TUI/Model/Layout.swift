/// The rows that each part of the screen takes. They depend on the screen's size and on whether the graph is shown.
struct Layout: Hashable, Sendable {
    enum SizeClass: Hashable, Sendable { case wide, standard, compact, tiny }

    let sizeClass: SizeClass
    let size: Size
    private let hasGraph: Bool

    init(_ size: Size, hasGraph: Bool = true) {
        self.size = size
        self.hasGraph = hasGraph
        sizeClass =
            switch (size.columns, size.rows) {
            case (110..., 32...): .wide
            case (72..., 18...): .standard
            case (36..., 6...): .compact
            default: .tiny
            }
    }

    var hasTabs: Bool { sizeClass == .wide || sizeClass == .standard }

    var tabsRow: Int? { hasTabs ? 1 : nil }
    var headerRow: Int? { hasTabs ? 2 : nil }
    /// The row in which a toast appears; nil on a small screen. Without a toast, a standard screen shows a line about
    /// the upload under the cursor there (`NoteView`). A wide screen shows the log's last row there.
    var noteRow: Int? { hasTabs ? size.rows - 2 : nil }
    var hintRow: Int? { sizeClass == .tiny ? nil : size.rows - 1 }

    /// The rows of the log's newest entries: five on a wide screen, one on a standard screen, otherwise none.
    var log: Range<Int> {
        switch sizeClass {
        case .wide: (size.rows - 6)..<(size.rows - 1)
        case .standard: (size.rows - 3)..<(size.rows - 2)
        case .compact, .tiny: 0..<0
        }
    }

    /// The rows of the graph; empty if the graph is hidden or the screen is small.
    var graph: Range<Int> {
        guard hasGraph else { return 0..<0 }
        switch sizeClass {
        case .wide: return (size.rows - 10)..<(size.rows - 7)
        case .standard: return (size.rows - 4)..<(size.rows - 3)
        case .compact, .tiny: return 0..<0
        }
    }

    /// The rows of the details below the list of a wide screen. Empty on other screens, where the details open as a
    /// dialog.
    var details: Range<Int> {
        guard sizeClass == .wide else { return 0..<0 }
        let end = size.rows - (hasGraph ? 11 : 7)
        return (end - 7)..<end
    }

    /// The rows of the list; empty if the screen is too small for a list.
    var list: Range<Int> {
        switch sizeClass {
        case .wide: 3..<(details.lowerBound - 1)
        case .standard: 3..<(size.rows - (hasGraph ? 4 : 3))
        case .compact: 1..<(size.rows - 1)
        case .tiny: 0..<0
        }
    }
}
