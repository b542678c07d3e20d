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
