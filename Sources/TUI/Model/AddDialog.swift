import Uploads

/// Files to be chosen: nothing is queued before Enter.
struct AddDialog: Sendable {
    enum Source: Sendable {
        case typed(LineEditor)
        /// Several lines, or more than fits a line.
        case pasted(String)
    }

    enum Preview: Sendable {
        case nothing
        /// The text has changed; the question is asked when typing rests.
        case due(at: Double)
        /// Asked. With `adding` Enter was pressed already.
        case asked(number: Int, adding: Bool)
        case ready(FileSelection)
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
    var preview = Preview.nothing
    var completion: Completion?
    let destinations: [String]
    var destination: Int
    /// Enter is not taken before: the rest of a paste without brackets may still come in.
    var deafUntil = -Double.infinity

    init(destinations: [String], preferred: String?) {
        source = .typed(LineEditor())
        self.destinations = destinations
        destination = preferred.flatMap { destinations.firstIndex(of: $0) } ?? 0
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

    /// Inserts text that came in one piece.
    mutating func paste(_ pasted: String) {
        // One dropped file often comes with a blank or a line end behind it.
        let text = pasted.last?.isNewline == true ? String(pasted.dropLast()) : pasted
        switch source {
        case .typed(var line):
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

    /// True if the key changed or moved in the text.
    mutating func edit(_ key: Key) -> Bool {
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
