import FerryUploads

/// The dialog with the whole log.
struct LogDialog: Sendable {
    enum Position: Hashable, Sendable {
        /// The newest entry, also when others arrive.
        case following
        /// The entry of this number, also when others arrive.
        case entry(Int)
    }

    enum Search: Sendable {
        case typing(LineEditor)
        case kept(String)

        var text: String {
            switch self {
            case .typing(let line): line.text
            case .kept(let text): text
            }
        }
    }

    var position = Position.following
    /// The lowest level that is shown.
    var least = LogEntry.Level.information
    var search = Search.kept("")

    var context: Context {
        switch search {
        case .typing: .logSearch
        case .kept: .log
        }
    }

    /// Returns the entries that have every word of the search, regardless of case.
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

    /// Returns the index of the entry under the cursor; nil if there is none.
    func index(in entries: [LogEntry]) -> Int? {
        guard let last = entries.indices.last else { return nil }
        switch position {
        case .following: return last
        case .entry(let number): return min(last, entries.partitioningIndex { $0.number >= number })
        }
    }

    mutating func move(by lines: Int, in entries: [LogEntry]) {
        guard let index = index(in: entries) else { return }
        let (sum, isOver) = index.addingReportingOverflow(lines)
        move(to: isOver ? (lines > 0 ? .max : 0) : sum, in: entries)
    }

    /// Moves the cursor. Beyond the last entry it follows new ones.
    mutating func move(to index: Int, in entries: [LogEntry]) {
        guard let last = entries.indices.last else { return }
        position = index >= last ? .following : .entry(entries[max(0, index)].number)
    }

    mutating func update(_ action: Action, log: LogModel, size: Size) -> DialogOutcome {
        let entries = entries(of: log)
        let page = max(1, LogDialogView.height(size))
        switch action {
        case .up: move(by: -1, in: entries)
        case .down: move(by: 1, in: entries)
        case .pageUp: move(by: -page, in: entries)
        case .pageDown: move(by: page, in: entries)
        case .top: move(to: 0, in: entries)
        case .bottom: position = .following
        case .raiseLevel: raiseLevel()
        case .filter: search = .typing(LineEditor(search.text))
        case .confirm:
            guard case .kept = search else {
                search = .kept(search.text)
                break
            }
            guard let id = index(in: entries).flatMap({ entries[$0].upload }) else {
                return .refuse("this is not about an upload")
            }
            return .show(id)
        case .escape where !search.text.isEmpty: search = .kept("")
        default: return .close()
        }
        return .stay()
    }

    mutating func insert(_ text: some StringProtocol) {
        guard case .typing(var line) = search else { return }
        line.insert(text)
        search = .typing(line)
    }

    mutating func edit(_ key: Key) {
        guard case .typing(var line) = search, line.handle(key) else { return }
        search = .typing(line)
    }

    mutating func raiseLevel() {
        least = LogEntry.Level(rawValue: least.rawValue + 1) ?? .information
    }
}

extension RandomAccessCollection where Index == Int {
    /// Returns the first index whose element satisfies `fits`, in a collection where all later ones do too.
    func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
