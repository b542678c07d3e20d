import FerryUploads

/// The last line of the screen: the most useful keys, and the cursor's position.
struct HintView {
    private let model: Model
    private let traits: TargetTraits

    init(model: Model) {
        self.model = model
        traits = model.list.targetTraits
    }

    func draw(row: Int, in frame: inout Frame) {
        let position = model.appearance.safe(self.position)
        let end = model.size.columns - position.width - 1
        var column = 1
        for entry in entries {
            guard let hint = hint(of: entry), let key = entry.keys.first else { continue }
            let label = key.label
            guard column + CellWidth.of(label) + 1 + hint.count + 1 <= end else { break }
            let start = column
            column = frame.put(label, row: row, column: column, role: .key)
            column = frame.put(" " + hint, row: row, column: column, role: .dim)
            frame.addRegion(rows: row..<(row + 1), columns: start..<column, .action(entry.action))
            column += 2
        }
        frame.put(position, row: row, column: max(0, model.size.columns - position.width))
    }

    private var position: String {
        let filter = model.table.filter.map { "/" + $0.text.prefix(model.size.columns / 4) + "  " } ?? ""
        return filter + count
    }

    private var count: String {
        let total = Strings.count(model.list.rows.count)
        let marked = traits.marked
        let marks = marked > 0 ? "\(Strings.count(marked)) marked  " : ""
        return marks + (model.list.cursorIndex.map { "\(Strings.count($0 + 1))/\(total)" } ?? "0/\(total)")
    }

    /// The offered actions. The one that is probably needed comes directly after Help.
    private var entries: [ActionTable.Entry] {
        let offered = model.actions.entries(in: .list).filter { isOffered($0.action) }
        guard model.isEngineGone || traits.canBeRetried else { return offered }
        let second: Action = model.isEngineGone ? .startEngine : .retry
        return offered.filter { $0.action == .help } + offered.filter { $0.action == second }
            + offered.filter { $0.action != .help && $0.action != second }
    }

    /// Returns the word for the key of an action. The pause key resumes if nothing can be paused.
    private func hint(of entry: ActionTable.Entry) -> String? {
        if entry.action == .startEngine { return "start an engine" }
        if entry.action == .tryNow, model.layout.sizeClass == .compact { return "now" }
        return entry.action == .pause && !traits.canBePaused && traits.isPausedByUser ? "resume" : entry.hint
    }

    private func isOffered(_ action: Action) -> Bool {
        if model.isEngineGone, action.needsEngine { return false }
        return switch action {
        case .tryNow:
            model.isOffline || !model.status.unreachableHosts.isEmpty || !model.table.waiting.isEmpty
        case .startEngine: model.isEngineGone && model.ownership == .attached
        case .filter:
            model.table.filter != nil || model.table.count(.all) > model.layout.list.count
        case .remove, .mark: traits.count > 0
        case .pause: traits.canBePaused || traits.isPausedByUser
        case .retry: traits.canBeRetried
        default: true
        }
    }
}
