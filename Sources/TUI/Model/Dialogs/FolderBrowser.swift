import FerryUploads

/// The list of a folder's entries in the Add dialog, and all marked paths.
struct FolderBrowser: Sendable {
    enum Look: Sendable {
        /// The folder is requested at this time on the clock.
        case due(at: Double)
        case asked(number: Int)
        case seen(BrowsedFolder)
    }

    typealias Entry = FolderContents.Entry

    /// The first row, `../`, of every folder but the root.
    static let parent = Entry(name: Array("..".utf8), kind: .folder)

    private(set) var reference = FolderReference.line("")
    private(set) var look = Look.due(at: -.infinity)
    private(set) var showsHidden = false
    /// The beginning that the shown names have.
    private(set) var started: [UInt8] = []
    private(set) var rows: [Entry] = []
    private(set) var cursor = 0
    private(set) var top = 0
    /// The name that gets the cursor when the folder is shown.
    private var aim: [UInt8]?
    var marks = MarkedPaths()
    /// The line's text since the user opened a folder in the list. Enter does not add that folder.
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

    /// False until the folder has been read: early keys must not act on rows that are not visible yet.
    var isSeen: Bool { if case .seen = look { true } else { false } }

    /// True if a row besides `../` is shown.
    var showsNames: Bool { rows.last.map { $0 != Self.parent } ?? false }

    var current: Entry? { rows.indices.contains(cursor) ? rows[cursor] : nil }

    var isOnFolder: Bool { current?.kind == .folder }

    /// True if Enter opens the folder under the cursor. It adds a marked one.
    var opensOnEnter: Bool { isOnFolder && current.map(isMarked) == false }

    func isMarked(_ entry: Entry) -> Bool { folder.map { marks.contains(entry.name, in: $0) } ?? false }

    /// The entry under the cursor unless it is a folder.
    var currentFile: (path: LocalPath, entry: Entry)? {
        guard let folder, let current, !isOnFolder else { return nil }
        return (folder.appending(current.name), current)
    }

    /// Updates the list after a change of the line. Another folder is read at the time `due`.
    mutating func point(at typed: TypedPath, due: Double) {
        let isSame =
            switch reference {
            case .line(let line): line == typed.folder
            case .folder: text == typed.folder
            }
        if !isSame {
            reference = .line(typed.folder)
            look = .due(at: due)
            (rows, cursor, top, aim) = ([], 0, 0, nil)
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
        (started, rows, cursor, top) = ([], [], 0, 0)
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
        rows = []
        guard case .seen(let folder) = look else { return }
        let showsHidden = showsHidden || started.first == UInt8(ascii: ".")
        if folder.path.bytes != [0x2F] { rows = [Self.parent] }
        cursor = rows.count
        if case .entries(let entries) = folder.contents {
            rows += entries.filter { (showsHidden || !$0.isHidden) && $0.name.starts(with: started) }
        }
        cursor = rows.dropFirst(cursor).firstIndex { $0.name == name } ?? (showsNames ? cursor : 0)
    }

    mutating func move(to row: Int) { cursor = max(0, min(rows.count - 1, row)) }

    mutating func move(to name: [UInt8]) { cursor = rows.firstIndex { $0.name == name } ?? cursor }

    /// Scrolls the list. The cursor moves only with the edge of the visible rows.
    mutating func scroll(by lines: Int, height: Int) {
        let height = max(1, height)
        top = max(0, min(top + lines, rows.count - height))
        move(to: max(top, min(cursor, top + height - 1)))
    }

    mutating func keepCursorInView(height: Int) {
        let height = max(1, height)
        top = max(0, min(top, cursor, rows.count - height))
        top = max(top, cursor - height + 1)
    }

    mutating func toggleMark() {
        guard let folder, let current, current != Self.parent else { return }
        marks.toggle(current.name, in: folder)
    }

    mutating func markAll() {
        guard let folder else { return }
        for entry in rows where entry != Self.parent { marks.insert(entry.name, in: folder) }
    }
}

/// The paths that the user has marked in the Add dialog, in the sequence of marking.
struct MarkedPaths: Hashable, Sendable {
    private(set) var paths: [LocalPath] = []
    private var known: Set<LocalPath> = []
    private var counts: [LocalPath: Int] = [:]

    var isEmpty: Bool { paths.isEmpty }
    var count: Int { paths.count }

    func contains(_ name: [UInt8], in folder: LocalPath) -> Bool {
        !known.isEmpty && known.contains(folder.appending(name))
    }

    func count(in folder: LocalPath) -> Int { counts[folder] ?? 0 }

    mutating func insert(_ name: [UInt8], in folder: LocalPath) {
        let path = folder.appending(name)
        guard known.insert(path).inserted else { return }
        paths.append(path)
        counts[folder, default: 0] += 1
    }

    mutating func toggle(_ name: [UInt8], in folder: LocalPath) {
        let path = folder.appending(name)
        guard known.remove(path) != nil else { return insert(name, in: folder) }
        paths.removeAll { $0 == path }
        counts[folder, default: 0] -= 1
    }
}
