import FerryTransfer
import FerryUploads

/// Files to be chosen: nothing is queued before Enter.
struct AddDialog: Sendable {
    enum Source: Sendable {
        case typed(LineEditor)
        /// Several lines, or more than fits a line.
        case pasted(String)
    }

    /// Where keys go.
    enum Focus: Hashable, Sendable {
        case line
        /// The list of what is in a folder.
        case list
        /// What was left out, from a row on; and where it goes back to.
        case leftOut(top: Int, isFromList: Bool)
    }

    enum Preview: Sendable {
        case nothing
        /// The choice has changed; the question is asked when that rests.
        case due(at: Double)
        /// Asked. With `adding` Enter was pressed already.
        case asked(number: Int, adding: Bool)
        case ready(AddPreview)
    }

    /// What Tab offers; the chosen one is in the line.
    struct Completion: Sendable {
        var candidates: [String]
        var chosen: Int?
    }

    /// Seconds that typing must rest before the files are looked at.
    static let patience = 0.15
    /// Characters from which on a paste is no line to be edited.
    static let longestLine = 1000
    /// Files from which on the total must have been seen before Enter counts.
    static let largeSelection = 1000

    var source: Source
    var focus = Focus.line
    var browser = FolderBrowser()
    var preview = Preview.nothing
    var completion: Completion?
    private(set) var destinations: [String] = []
    var destination = 0
    /// Enter is not taken before: the rest of a paste without brackets may still come in.
    var deafUntil = -Double.infinity

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

    /// True if the line only says where to look: it chooses nothing once something is marked.
    var isPlaceOnly: Bool {
        guard case .typed(let line) = source else { return false }
        return line.text.isEmpty || line.text == browser.followed || line.text == browser.text
            || TypedPlace(line.text).kind == .folder
    }

    /// True if the line follows the list into other folders; a pattern stays.
    var lineFollows: Bool {
        guard case .typed(let line) = source else { return false }
        return isPlaceOnly || TypedPlace(line.text).kind != .pattern
    }

    /// The file under the cursor, where it is what Enter adds: in the list, while nothing else is chosen.
    var fileUnderCursor: (path: LocalPath, entry: FolderContents.Entry)? {
        isInList && marks.isEmpty && lineFollows ? browser.currentFile : nil
    }

    /// What Enter adds: what is marked and what the line names, else the file under the cursor. nil for nothing.
    var request: AddRequest? {
        if !marks.isEmpty { return AddRequest(text: isPlaceOnly ? "" : text, marked: marks.paths) }
        if isInList, lineFollows { return fileUnderCursor.map { AddRequest(marked: [$0.path]) } }
        return text.isEmpty ? nil : AddRequest(text: text)
    }

    /// Files from which on the total must have been seen: of what was marked one by one each was.
    var unseenLimit: Int { request?.marked.isEmpty == false ? max(1, marks.count) : Self.largeSelection }

    /// When something is to be asked, on the clock.
    var moments: [Double] {
        var moments: [Double] = []
        if case .due(let at) = preview { moments.append(at) }
        if case .typed = source, case .due(let at) = browser.look { moments.append(at) }
        return moments
    }

    /// Inserts text that came in one piece.
    mutating func paste(_ pasted: String) {
        // One dropped file often comes with a blank or a line end behind it.
        let text = pasted.last?.isNewline == true ? String(pasted.dropLast()) : pasted
        let replacesPlace = isInList && isPlaceOnly
        focus = .line
        switch source {
        case .typed(var line):
            // Where the list has got to is no beginning of a path that comes from elsewhere.
            if replacesPlace { line = LineEditor() }
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

    /// The list shows where the line points now.
    mutating func lineChanged(now: Double) {
        guard case .typed(let line) = source else { return }
        browser.point(at: TypedPlace(line.text), due: now + Self.patience)
    }

    /// True if the key changed or moved in the text.
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

/// What a choice came to.
struct AddPreview: Sendable {
    let selection: FileSelection
    let bytes: Int128
    /// Files of it that the queue has already.
    var known: UploadTable.KnownFiles

    init(_ selection: FileSelection, known: UploadTable.KnownFiles) {
        self.selection = selection
        self.known = known
        bytes = selection.files.reduce(0) { $0 + Int128($1.identity.size) }
    }
}
