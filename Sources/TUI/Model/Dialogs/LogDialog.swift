/// The dialog that shows the log, or the entries of a level and with certain words.
struct LogDialog: Sendable {
    enum Position: Hashable, Sendable {
        /// The cursor is on the newest entry, also when more arrive.
        case following
        case entry(Int)
    }

    var position = Position.following
    var least = LogEntry.Level.information
    private(set) var search = LineEditor()
    private(set) var isTyping = false
    /// True while the dialog shows the whole text of the entry under the cursor.
    private(set) var showsWholeEntry = false

    var context: Context { isTyping ? .logSearch : .log }

    /// Returns the entries of the level that contain every search word, regardless of case.
    func entries(of log: LogModel) -> [LogEntry] {
        let words = search.text.lowercased().split(separator: " ")
        guard least > .information || !words.isEmpty else { return log.entries }
        return log.entries.filter { entry in
            guard entry.level >= least else { return false }
            guard !words.isEmpty else { return true }
            let text = entry.text.lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }

    /// Returns the index of the entry under the cursor, or of the next newer one if `entries` lacks it.
    func index(in entries: [LogEntry]) -> Int? {
        guard let last = entries.indices.last else { return nil }
        switch position {
        case .following: return last
        case .entry(let number): return min(last, entries.partitioningIndex { $0.number >= number })
        }
    }

    private mutating func move(to index: Int, in entries: [LogEntry]) {
        guard let last = entries.indices.last else { return }
        position = index >= last ? .following : .entry(entries[max(0, index)].number)
    }

    mutating func update(_ action: Action, log: LogModel, size: Size) -> DialogOutcome {
        let entries = entries(of: log)
        if showsWholeEntry {
            showsWholeEntry = false
            if let index = index(in: entries) { move(to: index, in: entries) }
            return .stay()
        }
        switch action {
        case .bottom: position = .following
        case .raiseLevel: least = LogEntry.Level.allCases.first { $0 > least } ?? .information
        case .filter: (search, isTyping) = (LineEditor(search.text), true)
        case .confirm where isTyping: isTyping = false
        case .confirm:
            guard let entry = index(in: entries).map({ entries[$0] }) else { break }
            if let id = entry.upload { return .show(id) }
            // New entries must not change the entry that the user reads.
            position = .entry(entry.number)
            showsWholeEntry = true
        case .escape where !search.text.isEmpty: (search, isTyping) = (LineEditor(), false)
        default:
            let page = LogDialogView.height(size)
            guard let row = action.row(from: index(in: entries) ?? 0, of: entries.count, page: page) else {
                return .close()
            }
            move(to: row, in: entries)
        }
        return .stay()
    }

    mutating func edit(_ key: Key) { if isTyping { _ = search.handle(key) } }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element that fits, as all after it must (binary search).
    func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
