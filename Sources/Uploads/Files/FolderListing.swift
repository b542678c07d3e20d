import FerryTransfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What kind of thing a name leads to.
enum EntryKind: Hashable {
    case file, folder, link, other, missing

    /// - Parameter follows: Whether a symbolic link counts as what it leads to.
    static func of(_ path: LocalPath, follows: Bool) -> EntryKind {
        var status = stat()
        let result = path.withCString { follows ? stat($0, &status) : lstat($0, &status) }
        guard result == 0 else { return .missing }
        return switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFLNK: .link
        default: .other
        }
    }
}

/// The names in a folder, as bytes: names need not be UTF-8, and Foundation loses those that are not.
enum FolderListing {
    /// Sorted by bytes, without `.` and `..`; nil if the folder cannot be read.
    static func names(in folder: LocalPath) -> [[UInt8]]? {
        guard let stream = folder.withCString({ opendir($0) }) else { return nil }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in Array(raw.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
