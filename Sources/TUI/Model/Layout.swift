/// The rows of each part of the screen, by the screen's size and whether the graph is shown.
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
    /// The row of a toast, and of a line about the upload under the cursor (`NoteView`); nil on a small screen.
    var noteRow: Int? { hasTabs ? size.rows - 2 : nil }
    var hintRow: Int? { sizeClass == .tiny ? nil : size.rows - 1 }

    var log: Range<Int> {
        switch sizeClass {
        case .wide: (size.rows - 6)..<(size.rows - 1)
        case .standard: (size.rows - 3)..<(size.rows - 2)
        case .compact, .tiny: 0..<0
        }
    }

    var graph: Range<Int> {
        guard hasGraph else { return 0..<0 }
        switch sizeClass {
        case .wide: return (size.rows - 10)..<(size.rows - 7)
        case .standard: return (size.rows - 4)..<(size.rows - 3)
        case .compact, .tiny: return 0..<0
        }
    }

    /// The rows of the details below the list. Other screens show them as a dialog.
    var details: Range<Int> {
        guard sizeClass == .wide else { return 0..<0 }
        let end = size.rows - (hasGraph ? 11 : 7)
        return (end - 7)..<end
    }

    var list: Range<Int> {
        switch sizeClass {
        case .wide: 3..<(details.lowerBound - 1)
        case .standard: 3..<(size.rows - (hasGraph ? 4 : 3))
        case .compact: 1..<(size.rows - 1)
        case .tiny: 0..<0
        }
    }
}
