import FerryUploads

/// The size of the screen in cells: 1 to 2,000 rows and columns.
struct Size: Hashable, Sendable {
    let rows: Int
    let columns: Int

    init(rows: Int, columns: Int) {
        self.rows = max(1, min(rows, 2000))
        self.columns = max(1, min(columns, 2000))
    }
}

struct Point: Hashable, Sendable {
    var row: Int
    var column: Int
}

/// A part of a frame that reacts to clicks.
struct Region: Equatable, Sendable {
    /// The target of a click. It names an upload by its id, because lines can move between drawing and clicking.
    enum Target: Hashable, Sendable {
        case upload(Upload.ID)
        case mark(Upload.ID)
        case tab(Tab)
        case action(Action)
        /// An entry of the folder that the Add dialog lists. The associated value is the entry's name in bytes. A click
        /// on `entryMark`, the space before the name, marks the entry or removes its mark.
        case entry([UInt8])
        case entryMark([UInt8])
        /// The rest of the screen while a dialog is open. A click there does nothing, even if it hits an upload in the
        /// list behind the dialog.
        case nothing
    }

    var rows: Range<Int>
    var columns: Range<Int>
    var target: Target
}
