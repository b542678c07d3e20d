import FerryFiles

/// An address as its folders and its last name, still quoted.
struct WebDAVAddress: Hashable, Sendable {
    /// Scheme and authority.
    private let root: String
    /// The path of the folder, with a slash at both ends.
    let folder: String
    /// Empty for a folder.
    let last: String
    /// The query, from the question mark on.
    private let query: String

    init(_ url: String) {
        let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
        let authority = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let path = url[authority..<end].firstIndex(of: "/") ?? end
        let slash = url[path..<end].lastIndex(of: "/") ?? end
        root = String(url[..<path])
        folder = slash == end ? "/" : String(url[path...slash])
        last = slash == end ? "" : String(url[url.index(after: slash)..<end])
        query = String(url[end...].prefix { $0 != "#" })
    }

    private init(root: String, folder: String, last: String, query: String) {
        self.root = root
        self.folder = folder
        self.last = last
        self.query = query
    }

    var url: String { root + folder + last + query }
    var folderURL: String { root + folder + query }
    /// Folder and last name.
    var path: String { folder + last }

    /// The same with a slash at the end: what it is if it is a folder.
    var asFolder: WebDAVAddress {
        last.isEmpty ? self : WebDAVAddress(root: root, folder: path + "/", last: "", query: query)
    }

    /// The folders the file is in, the innermost first, without the root, which always is.
    var folders: [String] {
        var folders: [String] = []
        var path = Substring(folder)
        while path.count > 1 {
            folders.append(root + path + query)
            path = path.dropLast()
            path = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return folders
    }

    /// The value for `Destination`: absolute (RFC 4918 §10.3), and with the name that a server behind a Unix socket is
    /// given.
    var destination: String {
        UploadAddress.isUnixSocket(root)
            ? "http://\(UploadAddress.socketHost)\(folder)\(last)" : root + folder + last
    }

    /// Most file systems take no longer name, in bytes.
    private static let longestName = 255

    /// The address of the file until it is whole: hidden, in the same folder, and the same in each attempt.
    func temporary(key: String) -> WebDAVAddress {
        let name = last.percentDecoded() ?? last
        // Apache's usual configuration keeps whatever begins with `.ht` to itself.
        let head = name.lowercased().hasPrefix("ht") ? "._" : "."
        let tail = ".part-" + key
        // `~99` may follow, see `nextTemporary`.
        let room = Self.longestName - 3
        var kept = name
        while !kept.isEmpty, head.utf8.count + kept.utf8.count + tail.utf8.count > room {
            kept.removeLast()
        }
        return WebDAVAddress(
            root: root, folder: folder, last: Self.quoted(head + kept + tail), query: query)
    }

    /// The temporary name to use after this one: `…~2`, then `…~3` and so on.
    var nextTemporary: WebDAVAddress {
        let name = last.percentDecoded() ?? last
        guard let match = name.wholeMatch(of: /(.+)~(\d{1,2})/), let number = Int(match.2) else {
            return inFolder(name + "~2")
        }
        return inFolder("\(match.1)~\(number % 99 + 1)")
    }

    /// The address of `name` in the same folder.
    func inFolder(_ name: String) -> WebDAVAddress {
        WebDAVAddress(root: root, folder: folder, last: Self.quoted(name), query: query)
    }

    /// The final name of a file whose temporary name `temporary(key:)` made; nil for any other.
    static func name(ofTemporary last: String) -> String? {
        last.wholeMatch(of: /\.(?:_(?=[hH][tT]))?(.+)\.part-ferry-\d+-\d+-\d+(-\d+)?(~\d+)?/).map {
            String($0.1)
        }
    }

    /// A name as one segment of a path.
    static func quoted(_ name: String) -> String { AddressQuery.encoded(name) }
}
