/// The help dialog. It shows the actions for the list of uploads (`Context.list`). If the user types words, it shows
/// only the actions that match the words.
struct HelpDialog: Sendable {
    var line = LineEditor()
    /// The index of the selected entry in the result of `entries(of:)`.
    var selected = 0

    /// Returns the entries that match every typed word, the best matches first. If no word is typed, returns all
    /// entries for the list of uploads.
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

    /// Returns the rank of an entry; a lower rank is better. Each typed word adds 0 to the rank if it is a whole word
    /// of the entry. It adds 1 if it is a synonym of the entry's action, 2 if it is a part of the entry's text, and 3
    /// if it is a part of a synonym. Returns nil if a typed word does not match at all.
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

    mutating func edit(_ key: Key) {
        if line.handle(key) { selected = 0 }
    }

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
