import FerryFiles

/// The name of one file or folder that is safe to use in a path: it cannot lead to another folder.
struct SafeName: Hashable {
    /// The maximum number of bytes: most file systems allow 255.
    static let maximumBytes = 255
    static let workFolder = ".ferry"

    let text: String
    var path: LocalPath { LocalPath(text) }

    /// Creates the name. Cuts a name of more than 255 bytes.
    init(_ name: String) throws(NameProblem) {
        guard !name.isEmpty else { throw .empty }
        guard name != ".", name != ".." else { throw .dots }
        for scalar in name.unicodeScalars {
            if scalar == "/" || scalar == "\\" { throw .separator }
            let breaksLines = scalar == "\u{2028}" || scalar == "\u{2029}"
            if scalar.properties.generalCategory == .control || breaksLines { throw .control }
        }
        // Some file systems do not distinguish case.
        guard name.lowercased() != Self.workFolder else { throw .reserved }
        // Compares scalars: a dot with a combining mark is one character to Swift, and a hidden name to the system.
        // Some file systems ignore invisible scalars before the dot.
        let first = name.unicodeScalars.first { !$0.properties.isDefaultIgnorableCodePoint }
        guard let first else { throw .empty }
        guard first != "." else { throw .hidden }
        text = Self.cut(name, suffix: "")
    }

    private init(unchecked text: String) { self.text = text }

    /// Returns the name with a number: `name (2).txt` for 2; the name itself for 1.
    func numbered(_ number: Int) -> SafeName {
        number == 1 ? self : SafeName(unchecked: Self.cut(text, suffix: " (\(number))"))
    }

    /// Inserts the suffix before the extension, and shortens the part before it to `maximumBytes` in all. The cut is
    /// between two characters, unless the first character alone is too long.
    ///
    /// The cut is first made in bytes: by characters it would take 38 s for 72 KB with many combining marks.
    private static func cut(_ name: String, suffix: String) -> String {
        var stem = name[...]
        var ending = ""
        let dot = name.utf8.suffix(32).lastIndex(of: UInt8(ascii: "."))
        if let dot, dot != name.startIndex {
            stem = name[..<dot]
            ending = String(name[dot...])
        }
        let room = maximumBytes - suffix.utf8.count - ending.utf8.count
        guard stem.utf8.count > room else { return stem + suffix + ending }
        var end = stem.utf8.index(stem.startIndex, offsetBy: room)
        while stem.utf8[end] & 0xC0 == 0x80 { stem.utf8.formIndex(before: &end) }
        var kept = stem[..<end]
        // The scalar after the cut belongs to the last character, so that character is left out.
        if let last = kept.last, kept.count > 1, "\(last)\(stem.unicodeScalars[end])".count == 1 {
            kept.removeLast()
        }
        return kept + suffix + ending
    }
}

enum NameProblem: Error, Hashable, CustomStringConvertible {
    case empty
    case dots
    case separator
    case control
    case reserved
    case hidden
    case absolute
    case encoding
    case tooDeep

    var description: String {
        switch self {
        case .empty: "the file name is empty"
        case .dots: "a file name cannot be one dot or two"
        case .separator: "a file name cannot contain / or \\"
        case .control: "a file name cannot contain control characters"
        case .reserved: "the name \(SafeName.workFolder) is the receiver's own"
        case .hidden: "names that begin with a dot are hidden, and not taken here"
        case .absolute: "the path begins at the root; only paths below the folder are taken"
        case .encoding: "the path is not UTF-8 in percent-encoding"
        case .tooDeep: "the path has more than \(StoredPath.maximumDepth) folders"
        }
    }
}

/// The path of a file below the receiver's directory.
struct StoredPath: Hashable {
    static let maximumDepth = 32

    var folders: [SafeName]
    var file: SafeName

    init(folders: [SafeName] = [], file: SafeName) {
        self.folders = folders
        self.file = file
    }

    private init<Text>(
        _ components: [Text], decode: (Text) -> String?
    ) throws(NameProblem) {
        guard components.count <= Self.maximumDepth + 1 else { throw .tooDeep }
        var names: [SafeName] = []
        for component in components {
            guard let name = decode(component) else { throw .encoding }
            names.append(try SafeName(name))
        }
        guard let file = names.popLast() else { throw .empty }
        self.init(folders: names, file: file)
    }

    /// Creates the path from the path of a request. A component with `%2F` is refused, as a name with a slash.
    init(requestPath: String) throws(NameProblem) {
        let path = requestPath.prefix { $0 != "?" }.drop { $0 == "/" }
        try self.init(path.split(separator: "/", omittingEmptySubsequences: false)) { $0.percentDecoded() }
    }

    /// Creates the path from a text in a header field or a form. Browsers send relative paths (`webkitRelativePath`).
    init(clientName: String) throws(NameProblem) {
        guard clientName.unicodeScalars.first != "/" else { throw .absolute }
        let components = clientName.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
        try self.init(components) { String($0) }
    }

    /// Returns the components of a request path that names a file or a folder; empty for the receiver's directory.
    static func names(requestPath: String) throws(NameProblem) -> [SafeName] {
        var path = requestPath.prefix { $0 != "?" }.drop { $0 == "/" }
        if path.hasSuffix("/") { path = path.dropLast() }
        guard !path.isEmpty else { return [] }
        let stored = try StoredPath(requestPath: String(path))
        return stored.folders + [stored.file]
    }

    /// Creates the path from its `text`; nil if a name is not safe, or if there are no names or too many.
    init?(text: String) {
        try? self.init(text.unicodeScalars.split(separator: "/")) { String($0) }
    }

    /// The path below the receiver's directory, for users and for JSON, without percent-encoding.
    var text: String { (folders + [file]).map(\.text).joined(separator: "/") }

    var location: String { Self.location(of: folders + [file]) }

    /// Returns the percent-encoded path of a file or folder; empty for the receiver's directory.
    static func location(of names: [SafeName]) -> String {
        names.map { "/" + $0.text.percentEncoded() }.joined()
    }
}
