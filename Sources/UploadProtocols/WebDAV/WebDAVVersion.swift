/// The size, the entity tag and the modification time of a file on a server. They are compared to find out whether the
/// file has changed.
struct WebDAVVersion: Hashable, Sendable {
    /// The size of the file in bytes; nil if the server does not state it.
    var size: ByteCount?
    /// The entity tag without the prefix `W/`, which marks a weak tag. Nil if the server sent no tag, or one of more
    /// than 256 bytes.
    ///
    /// Apache sends a tag with the prefix in the first second after a change of the file. Later it sends the same tag
    /// without the prefix.
    var entityTag: String?
    /// The time of the file's last change, as text from the server; most servers state whole seconds. Nil if the server
    /// stated no time, or one of more than 256 bytes.
    var modified: String?

    /// The maximum length of `entityTag` and of `modified`, in bytes. A longer text is replaced by nil, because both
    /// properties are stored on disk.
    private static let longest = 256

    init(_ file: FoundFile) {
        size = file.size
        entityTag = Self.bounded(file.entityTag).map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
        modified = Self.bounded(file.modified)
    }

    private static func bounded(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= longest ? $0 : nil }
    }

    /// Compares the sizes, tags and times that both versions have. Returns false if one of them differs. Returns true
    /// if all are equal and at least a tag or a time was compared; nil if no tag or time could be compared.
    func isSame(as other: WebDAVVersion) -> Bool? {
        if let size, let otherSize = other.size, size != otherSize { return false }
        let pairs = [(entityTag, other.entityTag), (modified, other.modified)]
        let reported = pairs.compactMap { first, second in
            first.flatMap { first in second.map { first == $0 } }
        }
        return reported.isEmpty ? nil : !reported.contains(false)
    }
}

/// The result of a `MOVE` request: whether the new file is at the final URL, or the old file is still there.
///
/// The sizes alone do not show this, because the old and the new file possibly have the same size.
enum WebDAVArrival: Hashable, Sendable {
    case arrived
    /// The final URL still has the old file, and the new file differs from it. So the server has moved the new file to
    /// another URL.
    case astray
    /// The responses of the server do not show which file is at the final URL. The old and the new file look alike, or
    /// the server describes them too little.
    case unknown

    /// Compares the file that is at the final URL after the `MOVE` with the old and the new file.
    ///
    /// - Parameters:
    ///   - old: The file that was at the final URL before the `MOVE`; nil if there was none.
    ///   - new: The temporary file that `MOVE` renames; nil if the server did not describe it.
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
