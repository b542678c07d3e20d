/// The help dialog. It shows the actions in the list, or those that match the typed words.
struct HelpDialog: Sendable {
    var line = LineEditor()
    var selected = 0

    /// Returns the entries that match every typed word, the best first.
    func entries(of actions: ActionTable) -> [ActionTable.Entry] {
        // Users of lazygit, k9s and less begin a search with a slash, which is ignored.
        let text = line.text.count > 1 && line.text.hasPrefix("/") ? String(line.text.dropFirst()) : line.text
        let typed = text.lowercased().split(separator: " ")
        let rows = actions.entries(in: .list)
        guard !typed.isEmpty else { return rows }
        let ranked = rows.enumerated().compactMap { row, entry in
            Self.rank(of: entry, for: typed).map { (rank: $0, row: row, entry: entry) }
        }
        return ranked.sorted { ($0.rank, $0.row) < ($1.rank, $1.row) }.map(\.entry)
    }

    /// Returns the rank of an entry, lowest best; nil without a match. Each word adds 0 for a whole word of the entry,
    /// 1 for a synonym, 2 for a part of its text and 3 for a part of a synonym.
    private static func rank(of entry: ActionTable.Entry, for typed: [Substring]) -> Int? {
        let own = (entry.keyLabels + " " + (entry.hint ?? "") + " " + entry.help).lowercased()
        let synonyms = entry.action.synonyms
        var rank = 0
        for word in typed {
            if own.split(whereSeparator: { !$0.isLetter }).contains(word) { continue }
            if synonyms.split(separator: " ").contains(word) {
                rank += 1
            } else if own.contains(word) {
                rank += 2
            } else if synonyms.contains(word) {
                rank += 3
            } else {
                return nil
            }
        }
        return rank
    }

    mutating func edit(_ key: Key) { if line.handle(key) { selected = 0 } }

    mutating func update(_ action: Action, actions: ActionTable, size: Size) -> DialogOutcome {
        let entries = entries(of: actions)
        let column = HelpView.columnHeight(size, entries: entries.count)
        let page = HelpView.pageHeight(size, entries: entries.count)
        switch action {
        case .previous: selected -= 1
        case .next: selected += 1
        case .columnBack: selected -= column
        case .columnOn: selected += column
        case .pageUp: selected -= page
        case .pageDown: selected += page
        case .confirm: return entries.indices.contains(selected) ? .run(entries[selected].action) : .close()
        default: return .close()
        }
        selected = max(0, min(entries.count - 1, selected))
        return .stay()
    }
}
