package import FerryProtocols

/// A folder that is open: what is found in it is found there, whatever takes its name meanwhile. Symbolic links are
/// seen and never followed.
package final class SourceFolder: Sendable {
    /// The path by which the folder was found.
    package let path: LocalPath
    /// `st_dev`: the file system it is on.
    package var device: UInt64 { status.identity.device }
    private let directory: Directory
    private let status: FileStatus

    /// - Parameter path: Without a symbolic link on it, as `LocalPath.resolved()` gives it.
    /// - Throws: `UploadFailure` (`sourceUnreadable`) that names the path and the reason.
    package convenience init(_ path: LocalPath) throws(UploadFailure) {
        try self.init(path) { () throws(SystemCallError) in try Directory(path) }
    }

    private init(
        _ path: LocalPath, _ open: () throws(SystemCallError) -> Directory
    ) throws(UploadFailure) {
        self.path = path
        do throws(SystemCallError) {
            directory = try open()
            status = try directory.status()
        } catch {
            throw SourceFile.failure(path, error.code)
        }
    }

    /// True if both are one folder, which a mount can show at two places.
    package func isSame(as other: SourceFolder) -> Bool { status.isSame(as: other.status) }

    /// The names in it, sorted by bytes.
    /// - Throws: as `init`.
    package func names() throws(UploadFailure) -> [[UInt8]] {
        do throws(SystemCallError) {
            return try directory.names().sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            throw SourceFile.failure(path, error.code)
        }
    }

    /// - Parameter name: One of `names()`.
    package func kind(of name: [UInt8]) -> FileKind {
        (try? directory.status(of: LocalPath(bytes: name)))?.kind ?? .missing
    }

    /// The file system of a folder, or of the nearest one above it that is there.
    package static func device(holding folder: LocalPath) -> UInt64? {
        var place: LocalPath? = folder
        while let folder = place {
            if let status = FileStatus.of(folder, follows: true) { return status.identity.device }
            place = folder.parent
        }
        return nil
    }

    /// Returns the version of a regular file in it, without opening it; nil if there is none to be seen.
    package func version(named name: [UInt8]) -> FileIdentity? {
        guard let status = try? directory.status(of: LocalPath(bytes: name)), status.kind == .file else {
            return nil
        }
        return status.identity
    }

    /// - Throws: as `init`.
    package func folder(named name: [UInt8]) throws(UploadFailure) -> SourceFolder {
        try SourceFolder(path.appending(name)) { () throws(SystemCallError) in
            try directory.folder(LocalPath(bytes: name))
        }
    }

    /// Returns the version of a file in it.
    /// - Throws: as `SourceFile.init`.
    package func identity(ofFile name: [UInt8]) throws(UploadFailure) -> FileIdentity {
        let path = path.appending(name)
        guard path.bytes.count < LocalPath.lengthLimit else {
            throw SourceFile.failure(path, .fileNameTooLong)
        }
        let status: FileStatus
        do throws(SystemCallError) {
            let file = try directory.open(LocalPath(bytes: name), for: .reading)
            status = try file.status()
        } catch {
            throw SourceFile.failure(path, error.code)
        }
        try SourceFile.check(status, path)
        return status.identity
    }
}
