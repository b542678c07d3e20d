package import FerryProtocols

/// An open folder. Entries are looked up in it even if another folder is at its path now, without following links.
package final class SourceFolder: Sendable {
    package let path: LocalPath
    /// The file system of the folder (`st_dev`).
    package var device: UInt64 { status.identity.device }
    private let directory: Directory
    private let status: FileStatus

    /// - Parameter path: A path without symbolic links, as `LocalPath.resolved()` returns it.
    package convenience init(_ path: LocalPath) throws(UploadFailure) {
        try self.init(path) { () throws(SystemCallError) in try Directory(path) }
    }

    private init(_ path: LocalPath, _ open: () throws(SystemCallError) -> Directory) throws(UploadFailure) {
        self.path = path
        (directory, status) = try SourceFile.translating(path) { () throws(SystemCallError) in
            let directory = try open()
            return (directory, try directory.status())
        }
    }

    /// True if both are the same folder, which a mount can show twice.
    package func isSame(as other: SourceFolder) -> Bool { status.isSame(as: other.status) }

    package func names() throws(UploadFailure) -> [[UInt8]] {
        try SourceFile.translating(path) { () throws(SystemCallError) in
            try directory.names().sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    /// Returns the status of the entry `name` itself, also of a symbolic link; nil if it cannot be examined.
    package func status(of name: [UInt8]) -> FileStatus? {
        try? directory.status(of: LocalPath(bytes: name))
    }

    /// Returns the status of each entry, as `status(of:)` does. Several processors examine many entries.
    package func statuses(of names: ArraySlice<[UInt8]>) -> [FileStatus?] {
        Array(names.mapChunks(of: 128) { $0.map(self.status) }.joined())
    }

    /// Returns the device number (`st_dev`) of `folder`, or of its nearest ancestor that can be examined.
    package static func device(holding folder: LocalPath) -> UInt64? {
        var current: LocalPath? = folder
        while let folder = current {
            if let status = FileStatus.of(folder, follows: true) { return status.identity.device }
            current = folder.parent
        }
        return nil
    }

    package func folder(named name: [UInt8]) throws(UploadFailure) -> SourceFolder {
        try SourceFolder(path.appending(name)) { () throws(SystemCallError) in
            try directory.folder(LocalPath(bytes: name))
        }
    }

    /// Checks that the file `name` with this status, whose path is `path`, can be uploaded and that this user may read
    /// it. The file is not opened.
    package func check(_ name: [UInt8], _ status: FileStatus, at path: LocalPath) throws(UploadFailure) {
        guard path.bytes.count < LocalPath.lengthLimit else {
            throw SourceFile.failure(path, .fileNameTooLong)
        }
        try SourceFile.check(status, path)
        // For the owner of a file, the owner's bit decides (path_resolution(7), "Permissions"). Only about other files is
        // the system asked, which takes a tenth of the search.
        if status.isOwn, status.mode & 0o400 != 0 { return }
        try SourceFile.translating(path) { () throws(SystemCallError) in
            try directory.checkReadable(LocalPath(bytes: name))
        }
    }
}
