import FerryUploads

/// The size of the screen in cells, at least one by one.
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

/// A part of a frame that does something when it is clicked.
struct Region: Equatable, Sendable {
    /// Ids, not lines: what was drawn there stays meant, whatever has moved since.
    enum Target: Hashable, Sendable {
        case upload(Upload.ID)
        case mark(Upload.ID)
        case tab(Tab)
        case action(Action)
        /// A name in the folder that is listed, and its place for a mark.
        case entry([UInt8])
        case entryMark([UInt8])
        /// A dialog: clicks on it do not reach what is below.
        case nothing
    }

    var rows: Range<Int>
    var columns: Range<Int>
    var target: Target
}
