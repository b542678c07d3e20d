/// Which parts of the screen there is room for, and where.
struct Layout: Hashable, Sendable {
    enum SizeClass: Hashable, Sendable { case wide, standard, compact, tiny }

    let sizeClass: SizeClass
    let size: Size

    init(_ size: Size) {
        self.size = size
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
    /// Toasts, else what there is to say about the upload under the cursor.
    var noteRow: Int? { hasTabs ? size.rows - 2 : nil }
    var hintRow: Int? { sizeClass == .tiny ? nil : size.rows - 1 }

    /// The rows of the list; empty if there is no room for it.
    var list: Range<Int> {
        switch sizeClass {
        case .wide, .standard: 3..<(size.rows - 2)
        case .compact: 1..<(size.rows - 1)
        case .tiny: 0..<0
        }
    }
}
