import FerryUploads

/// The position in the queue. While an update is applied upload by upload, two ranks can be equal for a moment.
struct QueuePosition: Hashable, Comparable, Sendable {
    var rank: Int64
    var id: Upload.ID

    static func < (left: QueuePosition, right: QueuePosition) -> Bool {
        left.rank != right.rank ? left.rank < right.rank : left.id < right.id
    }
}

extension Upload {
    var position: QueuePosition { QueuePosition(rank: rank, id: id) }
}

/// A row of a list: an upload and its sort keys.
struct Row: Hashable, Sendable {
    let position: QueuePosition
    /// The first sort key, lowest first; 0 in the sequence of the queue.
    let key: UInt64
    /// The second sort key, compared byte by byte; empty unless the rows are sorted by name.
    let name: [UInt8]
}

struct RowList: Sendable {
    private(set) var rows: [Row] = []
    let order: RowOrder

    init(_ rows: [Row] = [], by order: RowOrder = .queue) {
        self.order = order
        self.rows = rows
        self.rows.sort(by: precedes)
    }

    func index(of row: Row) -> Int? {
        let index = rows.partitioningIndex { !precedes($0, row) }
        return index < rows.count && rows[index].position == row.position ? index : nil
    }

    /// Replaces, adds or removes a row. Returns true if a row was added, removed or moved.
    mutating func replace(_ old: Row?, with new: Row?) -> Bool {
        guard old != new else { return false }
        let before = old.flatMap { index(of: $0) }
        if let before { rows.remove(at: before) }
        guard let new else { return before != nil }
        let after = rows.partitioningIndex { !precedes($0, new) }
        rows.insert(new, at: after)
        return before != after || old?.position != new.position
    }

    func lowerBound(of position: QueuePosition) -> Int { rows.partitioningIndex { $0.position >= position } }

    private func precedes(_ left: Row, _ right: Row) -> Bool {
        if left.key != right.key { return left.key < right.key }
        if left.name != right.name {
            return left.name.lexicographicallyPrecedes(right.name) == order.isAscending
        }
        return order.key == .queue && !order.isAscending
            ? right.position < left.position : left.position < right.position
    }
}

/// A snapshot of the visible rows.
struct Rows: RandomAccessCollection, Sendable {
    let list: RowList
    let table: UploadTable

    var startIndex: Int { 0 }
    var endIndex: Int { list.rows.count }
    subscript(index: Int) -> QueuePosition { list.rows[index].position }

    func index(of position: QueuePosition) -> Int? {
        guard table.position(of: position.id) == position else { return nil }
        return table.row(of: position.id, by: list.order).flatMap { list.index(of: $0) }
    }

    /// Returns the index of the row that gets the cursor after the row at `position`, formerly at `index`, is gone.
    func heir(of position: QueuePosition, at index: Int) -> Int {
        let heir = list.order == .queue ? list.lowerBound(of: position) : index
        return Swift.max(0, Swift.min(heir, count - 1))
    }
}
