/// The size, tag and time of a file on a server, which are compared to find out whether the file has changed.
struct WebDAVVersion: Hashable, Sendable {
    var size: ByteCount?
    /// The entity tag without the prefix `W/` of a weak tag; nil if the server sent none of at most 256 bytes. Apache
    /// sends a tag with the prefix only in the first second after a change of the file.
    var entityTag: String?
    /// The time of the file's last change, as text of at most 256 bytes from the server.
    var modified: String?

    /// The maximum length in bytes of `entityTag` and `modified`, which are stored on disk.
    private static let longest = 256

    init(_ file: FoundFile) {
        size = file.size
        entityTag = file.entityTag?.limited(to: Self.longest).map {
            $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0
        }
        modified = file.modified?.limited(to: Self.longest)
    }

    /// Compares what both versions have. Returns false if one value differs; nil if no tag or time could be compared.
    func isSame(as other: WebDAVVersion) -> Bool? {
        if let size, let otherSize = other.size, size != otherSize { return false }
        let pairs = [(entityTag, other.entityTag), (modified, other.modified)]
        let reported = pairs.compactMap { first, second in
            first.flatMap { first in second.map { first == $0 } }
        }
        return reported.isEmpty ? nil : !reported.contains(false)
    }
}

/// The result of a `MOVE`: whether the new file is at the final URL, or the old one, which possibly has the same size.
enum WebDAVArrival: Hashable, Sendable {
    case arrived
    /// The final URL still has the old file, which differs from the new one: the server has moved that to another URL.
    case astray
    /// The old and the new file look alike, or the server describes them too little.
    case unknown

    /// Compares the file at the final URL after the `MOVE` with the old and the temporary file, if they are known.
    init(old: WebDAVVersion?, new: WebDAVVersion?, found: WebDAVVersion) {
        guard let old else {
            self = .arrived
            return
        }
        switch found.isSame(as: old) {
        case false: self = .arrived
        case nil: self = .unknown
        // Tags made from content are equal for equal content; times are equal for files written in the same second.
        case true: self = new?.isSame(as: old) == false ? .astray : .unknown
        }
    }
}
