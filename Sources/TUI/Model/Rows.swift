import FerryUploads

/// The rows of the list, in the order in which they are shown, as they were when they were asked for.
struct Rows: RandomAccessCollection, Sendable {
    private let list: RowList
    private let columns: UploadColumns

    init(_ list: RowList, in columns: UploadColumns) {
        self.list = list
        self.columns = columns
    }

    var startIndex: Int { 0 }
    var endIndex: Int { list.slots.count }
    subscript(index: Int) -> Place { columns.place(of: list.slots[index]) }

    /// - Returns: nil if it is not among the rows.
    func index(of place: Place) -> Int? {
        guard let slot = columns.slot(of: place.id), columns.place(of: slot) == place else { return nil }
        return list.index(of: slot, in: columns)
    }

    /// The index of the row that took the place of one that is gone.
    ///
    /// - Parameter index: Where it was.
    func heir(of place: Place, at index: Int) -> Int {
        let heir = list.order == .queue ? list.lowerBound(of: place, in: columns) : index
        return Swift.max(0, Swift.min(heir, count - 1))
    }

    /// Passes on the states of the rows that are marked. There may be as many as rows, and a copy of each upload would take
    /// longer than a frame may.
    func forEachState(of marks: Set<Upload.ID>, _ body: (Upload.State) -> Void) {
        columns.withUploads { uploads in
            for slot in list.slots where marks.contains(uploads[slot.index].id) {
                body(uploads[slot.index].state)
            }
        }
    }
}
