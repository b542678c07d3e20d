import FerryUploads

/// The whole log over the list.
struct LogDialog: Sendable {
    enum Position: Hashable, Sendable {
        /// At the newest entry, whichever that is.
        case following
        /// At the entry of this number, whatever comes after it.
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
    /// What is less is left out.
    var least = LogEntry.Level.information
    var search = Search.kept("")

    var context: Context {
        switch search {
        case .typing: .logSearch
        case .kept: .log
        }
    }

    /// The entries that are shown: every word is in them, capital letters count as small ones.
    func entries(of log: EventLog) -> [LogEntry] {
        let words = search.text.lowercased().split(separator: " ")
        guard least > .information || !words.isEmpty else { return log.entries }
        return log.entries.filter { entry in
            guard entry.level >= least else { return false }
            guard !words.isEmpty else { return true }
            let text = entry.text.lowercased()
            return words.allSatisfy { text.contains($0) }
        }
    }

    /// The index of the entry that the cursor is on; nil if there is none.
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

    /// Beyond the last one it follows what comes.
    mutating func move(to index: Int, in entries: [LogEntry]) {
        guard let last = entries.indices.last else { return }
        position = index >= last ? .following : .entry(entries[max(0, index)].number)
    }

    mutating func raiseLevel() {
        least = LogEntry.Level(rawValue: least.rawValue + 1) ?? .information
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index from which on all elements fit.
    fileprivate func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
