import FerryUploads

/// The dialog in which the user chooses files to add. Nothing is queued until the user confirms.
struct AddDialog: Sendable {
    enum Source: Sendable {
        case typed(LineEditor)
        /// A paste of several lines, or one that is too long for a line.
        case pasted(String)
    }

    enum Focus: Hashable, Sendable {
        case line
        /// The list of the folder's entries.
        case list
        /// The list of the paths that the search left out, from the row `top` on. When it closes, the focus returns to
        /// the list of entries if `isFromList` is true, and to the line otherwise.
        case leftOut(top: Int, isFromList: Bool)
    }

    enum Preview: Sendable {
        case nothing
        /// The chosen files have changed. The search for them starts at this time on the clock. Another change before
        /// this time delays the search.
        case due(at: Double)
        /// The search with this number is running; results with another number are ignored. `adding` is true if Enter
        /// was pressed already, so that the files are added when the result arrives.
        case asked(number: Int, adding: Bool)
        case ready(AddPreview)
    }

    /// The state of completing the line with Tab.
    enum Completion: Sendable {
        case none
        /// The candidates are requested. A response with another number than this one is ignored.
        case asked(number: Int)
        /// The candidates. `chosen` is the index of the candidate in the line; nil if Tab has not yet put a candidate
        /// into the line.
        case offered([String], chosen: Int?)
    }

    /// The seconds without typing after which the search for the files starts.
    static let typingRest = 0.15
    /// The number of characters above which a paste cannot be edited as a line.
    static let longestLine = 1000
    /// The maximum number of files that Enter adds before the user has seen their total, if no paths are marked.
    static let largeSelection = 1000

    var source: Source
    var focus = Focus.line
    var browser = FolderBrowser()
    var preview = Preview.nothing
    var completion = Completion.none
    private(set) var destinations: [String] = []
    var destination = 0
    /// The time on the clock until which Enter is ignored after a paste. Without bracketed paste, the terminal can send
    /// the pasted text in pieces, and a line end in a later piece would act as Enter.
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

    private var isInList: Bool {
        switch focus {
        case .line: false
        case .list: true
        case .leftOut(_, let isFromList): isFromList
        }
    }

    /// True if the line is empty or only names the folder to list. While files are marked, Enter does not add that
    /// folder.
    var isFolderOnly: Bool {
        guard case .typed(let line) = source else { return false }
        return line.text.isEmpty || line.text == browser.followed || line.text == browser.text
            || TypedPath(line.text).kind == .folder
    }

    /// True if the text in the input line changes when the user opens another folder in the list. A text with a pattern
    /// does not change.
    var lineFollows: Bool {
        guard case .typed(let line) = source else { return false }
        return isFolderOnly || TypedPath(line.text).kind != .pattern
    }

    /// The file under the cursor if Enter would add it; otherwise nil. Enter adds this file if the list has the focus,
    /// no path is marked, and the line is neither a pattern nor a paste.
    var fileUnderCursor: (path: LocalPath, entry: FolderContents.Entry)? {
        isInList && marks.isEmpty && lineFollows ? browser.currentFile : nil
    }

    /// The files that Enter adds; nil if there are none.
    ///
    /// If paths are marked, Enter adds them and the files that the line names. A line that only names the listed folder
    /// then adds nothing.
    ///
    /// If no path is marked, Enter adds the files that the line names. There is one exception. If the list has the
    /// focus and the line is neither a pattern nor a paste, Enter adds only the file under the cursor.
    var request: AddRequest? {
        if !marks.isEmpty { return AddRequest(text: isFolderOnly ? "" : text, marked: marks.paths) }
        if isInList, lineFollows { return fileUnderCursor.map { AddRequest(marked: [$0.path]) } }
        return text.isEmpty ? nil : AddRequest(text: text)
    }

    /// The maximum number of files that Enter adds before the user has seen their total. If paths are marked, it is the
    /// number of marks, because a marked folder can contain many files.
    var unseenLimit: Int { request?.marked.isEmpty == false ? max(1, marks.count) : Self.largeSelection }

    /// The times on the clock at which the dialog sends requests.
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

    /// Lists the folder that the line names. A folder that is not listed yet is read once typing pauses.
    mutating func lineChanged(now: Double) {
        guard case .typed(let line) = source else { return }
        browser.point(at: TypedPath(line.text), due: now + Self.typingRest)
    }

    /// Edits the line, or moves the cursor in it. If the dialog has a paste instead of a typed line, a character is
    /// appended to the paste. Backspace, Ctrl-U or Ctrl-W removes the paste. Returns false for any other key, and if
    /// the line does not have the focus.
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

/// The files that the search found, and their total size.
struct AddPreview: Sendable {
    let selection: FileSelection
    let bytes: Int128
    /// The done uploads in the history whose paths are those of the found files.
    let past: [Upload]
    var known = UploadTable.KnownFiles()

    init(_ selection: FileSelection, past: [Upload]) {
        self.selection = selection
        self.past = past
        bytes = selection.files.reduce(0) { $0 + Int128($1.identity.size) }
    }
}
