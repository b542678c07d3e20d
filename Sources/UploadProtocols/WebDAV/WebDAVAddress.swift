import FerryFiles

/// A URL, split into the server, the percent-encoded path of the folder and name after it, and the query.
struct WebDAVAddress: Hashable, Sendable {
    /// The scheme and the authority of the URL, such as `https://host:8443`.
    private let root: String
    /// The path up to the last slash, with a slash at both ends.
    let folder: String
    /// The name after the last slash of the path; empty for the URL of a folder.
    let last: String
    private let query: String
}

extension WebDAVAddress {
    init(_ url: String) {
        let parts = UploadAddress.parts(of: url)
        root = String(parts.server)
        query = String(parts.query)
        let slash = parts.path.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = slash.map { String(Substring(parts.path.utf8[...$0])) } ?? "/"
        last = slash.map { String(Substring(parts.path.utf8[$0...].dropFirst())) } ?? ""
    }

    var url: String { root + folder + last + query }
    var folderURL: String { root + folder + query }
    var path: String { folder + last }

    /// The URL of a folder with the same name: this URL with a slash at the end of its path.
    var asFolder: WebDAVAddress {
        last.isEmpty ? self : WebDAVAddress(root: root, folder: path + "/", last: "", query: query)
    }

    /// The URLs of the folders above the file, the innermost first, without the root, which always exists.
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

    /// The value of the field `Destination`: the absolute URL without its query (RFC 4918 §10.3). On a Unix socket, it
    /// has the host `localhost`, as the requests have.
    var destination: String {
        UploadAddress.isUnixSocket(root)
            ? "http://\(UploadAddress.socketHost)\(folder)\(last)" : root + folder + last
    }

    /// The maximum length of a file's name in bytes, as in most file systems.
    private static let longestName = 255

    /// Returns the URL of the temporary file in the same folder for the bytes of an incomplete upload. Its name begins
    /// with a dot and contains the upload's key, so every attempt uses the same URL.
    func temporary(key: String) -> WebDAVAddress {
        let name = last.percentDecoded() ?? last
        // Apache's default configuration denies access to names that begin with `.ht`. A name such as `_htaccess` gets
        // an underscore too, so that `name(ofTemporary:)` removes the right number of them.
        let head = name.drop { $0 == "_" }.lowercased().hasPrefix("ht") ? "._" : "."
        let tail = ".part-" + key
        // Leaves room for `~99`, see `nextTemporary`.
        let room = Self.longestName - 3
        var kept = name
        while !kept.isEmpty, head.utf8.count + kept.utf8.count + tail.utf8.count > room {
            kept.removeLast()
        }
        return inFolder(head + kept + tail)
    }

    /// The URL of the next temporary file in the same folder: with `~2` at its end, or the next number up to `~99`.
    var nextTemporary: WebDAVAddress {
        let name = last.percentDecoded() ?? last
        guard let match = name.wholeMatch(of: /(.+)~(\d{1,2})/), let number = Int(match.2) else {
            return inFolder(name + "~2")
        }
        return inFolder("\(match.1)~\(number % 99 + 1)")
    }

    func inFolder(_ name: String) -> WebDAVAddress {
        WebDAVAddress(root: root, folder: folder, last: Self.quoted(name), query: query)
    }

    /// Returns the name of the file, or its beginning, for a temporary name; otherwise nil.
    static func name(ofTemporary last: String) -> String? {
        last.wholeMatch(of: /\.(?:_(?=_*[hH][tT]))?(.+)\.part-ferry-\d+-\d+-\d+(-\d+)?(~\d+)?/).map {
            String($0.1)
        }
    }

    static func quoted(_ name: String) -> String { name.percentEncoded() }
}
