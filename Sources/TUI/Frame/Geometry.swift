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
    /// The target of a click. Uploads have ids, because lines can move between drawing and clicking.
    enum Target: Hashable, Sendable {
        case upload(Upload.ID)
        case mark(Upload.ID)
        case tab(Tab)
        case action(Action)
        /// An entry's name in the Add dialog's list; `entryMark` is the space before it, where a click marks.
        case entry([UInt8])
        case entryMark([UInt8])
        /// The rest of the screen while a dialog is open.
        case nothing
    }

    var rows: Range<Int>
    var columns: Range<Int>
    var target: Target
}
