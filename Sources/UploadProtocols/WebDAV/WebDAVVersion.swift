/// The facts that distinguish versions of a file on a server.
struct WebDAVVersion: Hashable, Sendable {
    /// The number of bytes; nil if the server does not state it.
    var size: ByteCount?
    /// The entity tag without the prefix `W/` of a weak tag. Apache's tag of an unchanged file has the prefix in the
    /// first second only.
    var entityTag: String?
    /// The time of the last change, as sent; most servers have a resolution of one second.
    var modified: String?

    /// The maximum length of `entityTag` and of `modified`, in bytes. A longer one is dropped, because both are stored
    /// with the upload in the queue's files.
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

/// The conclusion whether a `MOVE` put the new file in place of the old one.
///
/// An equal size proves nothing, because the old file may have the same size.
enum WebDAVArrival: Hashable, Sendable {
    case arrived
    /// The old file still has the final name, so the server has moved the new file elsewhere.
    case astray
    /// The versions of the old and the new file look alike, or cannot be compared.
    case unknown

    /// - Parameters:
    ///   - old: The version of the file before the `MOVE`; nil if there was none.
    ///   - new: The version of the temporary file; nil if the server did not describe it.
    ///   - found: The version of the file after the `MOVE`.
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
