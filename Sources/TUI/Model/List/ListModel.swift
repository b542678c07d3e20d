import FerryUploads

/// The state of the list of uploads: its rows, filter, sort and cursor.
struct ListModel: Sendable {
    private(set) var table = UploadTable()
    private(set) var layout = Layout(Size(rows: 24, columns: 80))
    private(set) var tab = Tab.all
    var cursor: QueuePosition?
    var top = 0
    var marks: Set<Upload.ID> = []
    var range: MarkRange?
    var following = Following.running(since: -.infinity)
    var lastClick: (id: Upload.ID, at: Double)?

    var rows: Rows { table.shown(in: tab) }

    var cursorIndex: Int? { cursor.flatMap { rows.index(of: $0) } }

    var current: Upload? { cursor.flatMap { table[$0.id] } }

    /// The uploads that an action applies to: the marked ones, else the one under the cursor.
    var targets: [Upload] {
        let marked = markedRows
        let positions = marked.isEmpty ? cursor.map { [$0] } ?? [] : marked
        return positions.compactMap { table[$0.id] }
    }

    /// The marked uploads that neither the tab nor the filter hides.
    var markedRows: [QueuePosition] { marks.isEmpty ? [] : rows.filter { marks.contains($0.id) } }

    var targetTraits: TargetTraits {
        var traits = TargetTraits()
        for position in markedRows { if let upload = table[position.id] { traits.add(upload) } }
        traits.marked = traits.count
        if traits.count == 0, let current { traits.add(current) }
        return traits
    }

    mutating func arrange(_ layout: Layout) {
        self.layout = layout
        keepCursorInView()
    }

    mutating func apply(_ update: QueueUpdate) {
        let before = cursorIndex
        if table.apply(update) { settleCursor(before: before) }
        if update.isComplete { marks = marks.filter { table[$0] != nil } }
        marks.subtract(update.removed)
    }

    mutating func measure(_ rates: [Upload.ID: TransferRate]) {
        let before = cursorIndex
        if table.measure(rates) { settleCursor(before: before) }
    }

    /// Runs an action on the list's view or marks. Returns false for any other action.
    mutating func update(_ action: Action) -> Bool {
        let page = max(1, layout.list.count)
        if let row = action.row(from: cursorIndex ?? 0, of: rows.count, page: page) {
            moveCursor(to: row)
            return true
        }
        switch action {
        case .show(let tab): show(tab)
        case .mark: mark()
        case .markRange: toggleRange()
        case .invertMarks: marks.formSymmetricDifference(rows.map(\.id))
        case .markAll: marks.formUnion(rows.map(\.id))
        case .escape: escape()
        default: return false
        }
        return true
    }

    mutating func show(_ tab: Tab) {
        guard tab != self.tab else { return }
        let old = cursor
        self.tab = tab
        range = nil
        table.arrange(table.filter, by: table.order, in: tab)
        top = 0
        let rows = rows
        cursor = rows.isEmpty ? nil : rows[old.map { rows.index(of: $0) ?? rows.heir(of: $0, at: 0) } ?? 0]
        keepCursorInView()
    }

    /// Sorts the rows. If they are sorted by this key already, reverses them.
    mutating func sort(by key: RowOrder.Key) {
        arrange(table.filter, by: table.order.key == key ? table.order.reversed : RowOrder(key))
    }

    mutating func narrow(to text: String) {
        arrange(text.allSatisfy { $0 == " " } ? nil : RowFilter(text), by: table.order)
    }

    private mutating func arrange(_ filter: RowFilter?, by order: RowOrder) {
        let before = cursorIndex
        following = .nothing
        range = nil
        table.arrange(filter, by: order, in: tab)
        settleCursor(before: before)
    }

    /// Moves the cursor to an upload, and shows another tab or drops the filter for that. Returns false if it is gone.
    mutating func jump(to id: Upload.ID) -> Bool {
        guard let position = table.position(of: id) else { return false }
        if rows.index(of: position) == nil { show(.all) }
        if rows.index(of: position) == nil { table.arrange(nil, by: table.order, in: tab) }
        putCursor(on: position)
        return true
    }
}
