import FerryUploads

/// The list of a folder's entries in the Add dialog, and all marked paths.
struct FolderBrowser: Sendable {
    enum Look: Sendable {
        /// The folder is requested at this time on the clock.
        case due(at: Double)
        case asked(number: Int)
        case seen(BrowsedFolder)
    }

    enum Row: Hashable, Sendable {
        case parent
        case entry(FolderContents.Entry)

        var name: [UInt8] {
            switch self {
            case .parent: Self.parentName
            case .entry(let entry): entry.name
            }
        }

        static let parentName = Array("..".utf8)
    }

    private(set) var reference = FolderReference.line("")
    private(set) var look = Look.due(at: -.infinity)
    private(set) var showsHidden = false
    /// The beginning that the shown names have.
    private(set) var started: [UInt8] = []
    private var shown: [Int] = []
    private(set) var cursor = 0
    private(set) var top = 0
    /// The name that gets the cursor when the folder is shown.
    private var aim: [UInt8]?
    var marks = MarkedPaths()
    /// The text or path that the line got when the user last opened a folder in the list. While the line still has it,
    /// Enter does not add the folder.
    var followed: String?
    var lastClick: (name: [UInt8], at: Double)?

    var folder: LocalPath? {
        switch (look, reference) {
        case (.seen(let folder), _): folder.path
        case (_, .folder(let path)): path
        case (_, .line): nil
        }
    }

    /// The folder's path as a user types it; nil if it cannot be typed or was not read.
    var text: String? { if case .seen(let folder) = look { folder.text } else { nil } }

    private var entries: [FolderContents.Entry] {
        if case .seen(let folder) = look, case .entries(let entries) = folder.contents { return entries }
        return []
    }

    /// False until the folder has been read: early keys must not act on rows that are not visible yet.
    var isSeen: Bool { if case .seen = look { true } else { false } }

    private var hasParent: Bool { isSeen && folder?.bytes != [0x2F] }

    /// The number of entries, without the row `../`.
    var shownCount: Int { shown.count }

    var count: Int { shown.count + (hasParent ? 1 : 0) }

    subscript(row: Int) -> Row? {
        if hasParent, row == 0 { return .parent }
        let index = row - (hasParent ? 1 : 0)
        return shown.indices.contains(index) ? .entry(entries[shown[index]]) : nil
    }

    var current: Row? { self[cursor] }

    var isOnFolder: Bool {
        switch current {
        case .parent: true
        case .entry(let entry): entry.kind == .folder
        case nil: false
        }
    }

    /// True if Enter opens the folder under the cursor. It adds a marked one.
    var opensOnEnter: Bool { isOnFolder && current.map(isMarked) == false }

    func isMarked(_ row: Row) -> Bool {
        guard let folder, case .entry(let entry) = row else { return false }
        return marks.contains(entry.name, in: folder)
    }

    /// The entry under the cursor unless it is a folder.
    var currentFile: (path: LocalPath, entry: FolderContents.Entry)? {
        guard let folder, case .entry(let entry)? = current, entry.kind != .folder else { return nil }
        return (folder.appending(entry.name), entry)
    }

    /// Updates the list after a change of the line. Another folder is read at the time `due`.
    mutating func point(at typed: TypedPath, due: Double) {
        let isSame =
            switch reference {
            case .line(let text): text == typed.folder
            case .folder: text == typed.folder
            }
        if !isSame {
            reference = .line(typed.folder)
            look = .due(at: due)
            (shown, cursor, top, aim) = ([], 0, 0, nil)
        }
        let started = Array(typed.started.utf8)
        if started != self.started {
            self.started = started
            arrange(around: nil)
        }
    }

    mutating func go(to folder: LocalPath, aim: [UInt8]?) {
        reference = .folder(folder)
        look = .due(at: -.infinity)
        (started, shown, cursor, top) = ([], [], 0, 0)
        self.aim = aim
    }

    mutating func ask(number: Int) { look = .asked(number: number) }

    /// Shows a folder that was read. Returns false for the result of an older request.
    mutating func take(_ folder: BrowsedFolder, number: Int) -> Bool {
        guard case .asked(number) = look else { return false }
        look = .seen(folder)
        arrange(around: aim)
        aim = nil
        return true
    }

    mutating func toggleHidden() {
        showsHidden.toggle()
        arrange(around: current?.name)
    }

    /// Shows the names without the typed beginning, too.
    mutating func endStarted() {
        guard !started.isEmpty else { return }
        started = []
        arrange(around: current?.name)
    }

    private mutating func arrange(around name: [UInt8]?) {
        let showsHidden = showsHidden || started.first == UInt8(ascii: ".")
        let entries = entries
        shown = entries.indices.filter { index in
            (showsHidden || !entries[index].isHidden) && entries[index].name.starts(with: started)
        }
        let first = hasParent && !shown.isEmpty ? 1 : 0
        let found = name.flatMap { name in shown.firstIndex { entries[$0].name == name } }
        cursor = found.map { $0 + (hasParent ? 1 : 0) } ?? first
    }

    mutating func move(to row: Int) { cursor = max(0, min(count - 1, row)) }

    mutating func move(to name: [UInt8]) {
        if hasParent, name == Row.parentName { cursor = 0 }
        let entries = entries
        if let index = shown.firstIndex(where: { entries[$0].name == name }) {
            cursor = index + (hasParent ? 1 : 0)
        }
    }

    /// Scrolls the list. The cursor moves only with the edge of the visible rows.
    mutating func scroll(by lines: Int, height: Int) {
        let height = max(1, height)
        top = max(0, min(top + lines, count - height))
        move(to: max(top, min(cursor, top + height - 1)))
    }

    mutating func keepCursorInView(height: Int) {
        let height = max(1, height)
        top = max(0, min(top, cursor, count - height))
        top = max(top, cursor - height + 1)
    }

    mutating func toggleMark() {
        guard let folder, case .entry(let entry)? = current else { return }
        marks.toggle(entry.name, in: folder)
    }

    mutating func markAll() {
        guard let folder else { return }
        let entries = entries
        for index in shown { marks.insert(entries[index].name, in: folder) }
    }
}
