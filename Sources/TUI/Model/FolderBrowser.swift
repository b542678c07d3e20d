import FerryTransfer
import FerryUploads

/// The list below the line of the Add dialog: what is in one folder, and what was marked there and elsewhere.
struct FolderBrowser: Sendable {
    enum Look: Sendable {
        /// The line points elsewhere; the question is asked when typing rests.
        case due(at: Double)
        case asked(number: Int)
        case seen(BrowsedFolder)
    }

    enum Row: Hashable, Sendable {
        /// `../`
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

    /// What is or will be seen.
    private(set) var place = BrowsedPlace.line("")
    private(set) var look = Look.due(at: -.infinity)
    private(set) var showsHidden = false
    /// Only names that begin like this are shown.
    private(set) var started: [UInt8] = []
    /// Indices of the entries that are shown.
    private var shown: [Int] = []
    /// The row under the cursor.
    private(set) var cursor = 0
    /// The first row that is seen.
    private(set) var top = 0
    /// On which name the cursor is to be when the folder is seen.
    private var aim: [UInt8]?
    var marks = MarkedPaths()
    /// What the line was made to say when it went along to a folder.
    var followed: String?
    /// A second click on the same row soon after it is Enter.
    var lastClick: (name: [UInt8], at: Double)?

    /// nil while only the line knows which it is.
    var folder: LocalPath? {
        switch (look, place) {
        case (.seen(let folder), _): folder.path
        case (_, .folder(let path)): path
        case (_, .line): nil
        }
    }

    /// As it would be typed.
    var text: String? {
        if case .seen(let folder) = look { return folder.text }
        return nil
    }

    private var entries: [FolderContents.Entry] {
        if case .seen(let folder) = look, case .entries(let entries) = folder.contents { return entries }
        return []
    }

    /// False while it is looked into: keys that come early must not act on what is to be there.
    var isSeen: Bool {
        if case .seen = look { return true }
        return false
    }

    private var hasParent: Bool { isSeen && folder?.bytes != [0x2F] }

    /// Rows but `../`.
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

    /// What is marked is to be added as it is; any other folder is to be looked into.
    var opensOnEnter: Bool { isOnFolder && current.map(isMarked) == false }

    func isMarked(_ row: Row) -> Bool {
        guard let folder, case .entry(let entry) = row else { return false }
        return marks.contains(entry.name, in: folder)
    }

    /// What is no folder and under the cursor.
    var currentFile: (path: LocalPath, entry: FolderContents.Entry)? {
        guard let folder, case .entry(let entry)? = current, entry.kind != .folder else { return nil }
        return (folder.appending(entry.name), entry)
    }

    /// What the line says now. Asks anew only if it is another folder than the one that is seen.
    mutating func point(at typed: TypedPlace, due: Double) {
        let isSame =
            switch place {
            case .line(let text): text == typed.folder
            case .folder: text == typed.folder
            }
        if !isSame {
            place = .line(typed.folder)
            look = .due(at: due)
            (shown, cursor, top, aim) = ([], 0, 0, nil)
        }
        let started = Array(typed.started.utf8)
        if started != self.started {
            self.started = started
            arrange(around: nil)
        }
    }

    /// Goes to another folder, with the cursor on a name in it if it is there.
    mutating func go(to folder: LocalPath, aim: [UInt8]?) {
        place = .folder(folder)
        look = .due(at: -.infinity)
        (started, shown, cursor, top) = ([], [], 0, 0)
        self.aim = aim
    }

    mutating func ask(number: Int) { look = .asked(number: number) }

    /// False if the answer is to an older question.
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

    /// All names again, with the cursor where it is.
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

    mutating func move(by rows: Int) {
        let (sum, isOver) = cursor.addingReportingOverflow(rows)
        move(to: isOver ? (rows > 0 ? .max : 0) : sum)
    }

    mutating func move(to row: Int) { cursor = max(0, min(count - 1, row)) }

    mutating func move(to name: [UInt8]) {
        if hasParent, name == Row.parentName { cursor = 0 }
        let entries = entries
        if let index = shown.firstIndex(where: { entries[$0].name == name }) {
            cursor = index + (hasParent ? 1 : 0)
        }
    }

    /// Moves what is seen, and the cursor only as far as it has to.
    mutating func scroll(by lines: Int, height: Int) {
        let height = max(1, height)
        let (sum, isOver) = top.addingReportingOverflow(lines)
        top = max(0, min(isOver ? (lines > 0 ? .max : 0) : sum, count - height))
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
