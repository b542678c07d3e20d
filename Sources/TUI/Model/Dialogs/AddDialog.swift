import FerryUploads

/// The dialog in which the user chooses files to add.
struct AddDialog: Sendable {
    enum Source: Sendable {
        case typed(LineEditor)
        /// A paste of several lines, or one that is too long for a line.
        case pasted(String)
    }

    enum Focus: Hashable, Sendable {
        case line
        case list
        /// The list of the paths that the search left out, from the row `top` on, and where the focus returns to.
        case leftOut(top: Int, isFromList: Bool)
    }

    enum Preview: Sendable {
        case nothing
        /// The search for other chosen files starts at this time, unless they change again before.
        case due(at: Double)
        /// The search with this number is running. `adding` is true if Enter was pressed already.
        case asked(number: Int, adding: Bool)
        case ready(AddPreview)
    }

    enum Completion: Sendable {
        case none
        case asked(number: Int)
        /// The candidates, with the index of the one in the line.
        case offered([String], chosen: Int?)
    }

    /// The seconds without typing after which the search for the files starts.
    static let typingRest = 0.15
    /// The number of characters above which a paste cannot be edited as a line.
    static let longestLine = 1000
    static let largeSelection = 1000

    var source: Source
    var focus = Focus.line
    var browser = FolderBrowser()
    var preview = Preview.nothing
    var completion = Completion.none
    private(set) var destinations: [String] = []
    var destination = 0
    /// The time until which Enter is ignored after a paste, because a later piece of it can have a line end.
    var ignoresConfirmUntil = -Double.infinity

    init(destinations: [String], preferred: String?) {
        source = .typed(LineEditor())
        offer(destinations, preferred: preferred)
    }

    mutating func offer(_ destinations: [String], preferred: String?) {
        self.destinations = destinations
        destination = preferred.flatMap { destinations.firstIndex(of: $0) } ?? 0
    }

    var context: Context {
        switch focus {
        case .line: .add
        case .list: .browse
        case .leftOut: .leftOut
        }
    }

    var text: String {
        switch source {
        case .typed(let line): line.text
        case .pasted(let text): text
        }
    }

    var destinationName: String {
        destinations.indices.contains(destination) ? destinations[destination] : ""
    }

    var marks: MarkedPaths { browser.marks }

    var problems: [FileSelection.Problem] {
        if case .ready(let preview) = preview { preview.selection.problems } else { [] }
    }

    private var isInList: Bool {
        switch focus {
        case .line: false
        case .list: true
        case .leftOut(_, let isFromList): isFromList
        }
    }

    /// True if the line only names the folder to list, which Enter does not add while files are marked.
    var isFolderOnly: Bool {
        guard case .typed(let line) = source else { return false }
        return line.text.isEmpty || line.text == browser.followed || line.text == browser.text
            || TypedPath(line.text).kind == .folder
    }

    /// True if the line changes when the user opens another folder in the list.
    var lineFollows: Bool {
        guard case .typed(let line) = source else { return false }
        return isFolderOnly || TypedPath(line.text).kind != .pattern
    }

    var fileUnderCursor: (path: LocalPath, entry: FolderBrowser.Entry)? {
        isInList && marks.isEmpty && lineFollows ? browser.currentFile : nil
    }

    /// The files that Enter adds: the marked ones and those that the line names. Without marks, a cursor in the list
    /// chooses its file instead of the line.
    var request: AddRequest? {
        if !marks.isEmpty { return AddRequest(text: isFolderOnly ? "" : text, marked: marks.paths) }
        if isInList, lineFollows { return fileUnderCursor.map { AddRequest(marked: [$0.path]) } }
        return text.isEmpty ? nil : AddRequest(text: text)
    }

    /// The maximum number of files that Enter adds unseen. A marked folder can contain many files.
    var unseenLimit: Int { request?.marked.isEmpty == false ? max(1, marks.count) : Self.largeSelection }

    var moments: [Double] {
        var moments: [Double] = []
        if case .due(let at) = preview { moments.append(at) }
        if case .typed = source, case .due(let at) = browser.look { moments.append(at) }
        return moments
    }

    mutating func paste(_ pasted: String) {
        // A file that is dropped on the terminal often arrives as a path with a trailing blank or line end.
        let text = pasted.last?.isNewline == true ? String(pasted.dropLast()) : pasted
        let replacesFolder = isInList && isFolderOnly
        focus = .line
        switch source {
        case .typed(var line):
            // A pasted path replaces a line that only names the listed folder.
            if replacesFolder { line = LineEditor() }
            if text.contains(where: \.isNewline) || text.count > Self.longestLine {
                source = .pasted(line.text.isEmpty ? pasted : line.text + "\n" + pasted)
            } else {
                line.insert(text)
                source = .typed(line)
            }
        case .pasted(let before):
            source = .pasted(before + pasted)
        }
    }

    mutating func lineChanged(now: Double) {
        guard case .typed(let line) = source else { return }
        browser.point(at: TypedPath(line.text), due: now + Self.typingRest)
    }

    /// Edits the line or the paste. Returns false for a key that does neither.
    mutating func edit(_ key: Key) -> Bool {
        guard focus == .line else { return false }
        switch source {
        case .typed(var line):
            guard line.handle(key) else { return false }
            source = .typed(line)
        case .pasted(let text):
            switch key {
            case .character(let character): source = .pasted(text + String(character))
            case .backspace, .control("u"), .control("w"): source = .typed(LineEditor())
            default: return false
            }
        }
        return true
    }
}

/// The files that the search found.
struct AddPreview: Sendable {
    let selection: FileSelection
    let bytes: Int128
    let past: [Upload]
    var known = UploadTable.KnownFiles()

    init(_ selection: FileSelection, past: [Upload]) {
        self.selection = selection
        self.past = past
        bytes = selection.files.reduce(0) { $0 + Int128($1.identity.size) }
    }
}
