/// The facts that tell one version of a file at a server from another.
struct WebDAVVersion: Hashable, Sendable {
    /// Bytes; nil if the server does not say.
    var size: ByteCount?
    /// The entity tag without the mark of a weak one: Apache's tag of the same file is weak in the first second only.
    var entityTag: String?
    /// The time as sent; most servers count whole seconds.
    var modified: String?

    /// The longest value, because it is written into the queue's files with the upload.
    private static let longest = 256

    init(_ file: FoundFile) {
        size = file.size
        entityTag = Self.bounded(file.entityTag).map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
        modified = Self.bounded(file.modified)
    }

    private static func bounded(_ text: String?) -> String? {
        text.flatMap { $0.utf8.count <= longest ? $0 : nil }
    }

    /// False if anything differs; nil if nothing but the size can be compared.
    func isSame(as other: WebDAVVersion) -> Bool? {
        if let size, let otherSize = other.size, size != otherSize { return false }
        let pairs = [(entityTag, other.entityTag), (modified, other.modified)]
        let told = pairs.compactMap { first, second in
            first.flatMap { first in second.map { first == $0 } }
        }
        return told.isEmpty ? nil : !told.contains(false)
    }
}

/// Whether a `MOVE` that the server reported as done replaced the file that was at the place.
///
/// The size does not tell: the old file may have the same one.
enum WebDAVArrival: Hashable, Sendable {
    case arrived
    /// The old file is still there.
    case astray
    /// The old version and the new one look alike.
    case unknown

    /// - Parameters:
    ///   - old: What was at the place before; nil if nothing was.
    ///   - new: The file under its temporary name; nil if the server did not describe it.
    ///   - found: What is at the place after the `MOVE`.
    init(old: WebDAVVersion?, new: WebDAVVersion?, found: WebDAVVersion) {
        guard let old else {
            self = .arrived
            return
        }
        switch found.isSame(as: old) {
        case false: self = .arrived
        case nil: self = .unknown
        // Tags made of contents are the same for the same contents, times of files written in the same second too.
        case true: self = new?.isSame(as: old) == false ? .astray : .unknown
        }
    }
}
