/// The facts that distinguish versions of a file on a server.
struct WebDAVVersion: Hashable, Sendable {
    /// The number of bytes; nil if the server does not state it.
    var size: ByteCount?
    /// The entity tag without the mark of a weak one: Apache's tag of the same file is weak in the first second only.
    var entityTag: String?
    /// The time as sent; most servers have a resolution of one second.
    var modified: String?

    /// The length limit of a value, because it is stored in the queue's files with the upload.
    private static let longest = 256

    init(_ file: FoundFile) {
        size = file.size
        entityTag = Self.bounded(file.entityTag).map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
        modified = Self.bounded(file.modified)
    }

    private static func bounded(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= longest ? $0 : nil }
    }

    /// False if any value differs; nil if only the size can be compared.
    func isSame(as other: WebDAVVersion) -> Bool? {
        if let size, let otherSize = other.size, size != otherSize { return false }
        let pairs = [(entityTag, other.entityTag), (modified, other.modified)]
        let told = pairs.compactMap { first, second in
            first.flatMap { first in second.map { first == $0 } }
        }
        return told.isEmpty ? nil : !told.contains(false)
    }
}

/// The result of a `MOVE` that the server reported as successful: whether it replaced the old file.
///
/// The size does not decide: the old file may have the same one.
enum WebDAVArrival: Hashable, Sendable {
    case arrived
    /// The old file is still there.
    case astray
    /// The old version and the new one look alike.
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
