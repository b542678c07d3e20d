package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The kind of thing that a name in the file system stands for.
package enum FileKind: Hashable, Sendable {
    case file, folder, link
    /// A device, a pipe or a socket.
    case special
    /// Gone since it was listed, or not to be looked at.
    case missing

    /// - Parameter follows: Whether a symbolic link counts as what it leads to.
    package static func of(_ path: LocalPath, follows: Bool) -> FileKind {
        FileStatus.of(path, follows: follows)?.kind ?? .missing
    }
}

/// The status of a file, by `stat(2)`.
package struct FileStatus: Hashable, Sendable {
    package let identity: FileIdentity
    package let kind: FileKind
    /// The permission bits, with the sticky bit and its like.
    package let mode: UInt32
    package let owner: UInt32
    /// The number of names that the file has.
    package let links: UInt64

    package init(_ status: Stat) {
        identity = FileIdentity(status)
        kind =
            switch status.type {
            case .regular: .file
            case .directory: .folder
            case .symbolicLink: .link
            default: .special
            }
        mode = UInt32(status.mode.permissions.rawValue)
        owner = UInt32(status.userID.rawValue)
        links = UInt64(status.linkCount)
    }

    /// - Throws: `SystemCallError`, as `stat(2)` or `lstat(2)` fails.
    package init(_ path: LocalPath, follows: Bool) throws(SystemCallError) {
        try self.init(
            SystemCallError.of("stat", path.text) { () throws(Errno) in
                try path.withCString { (text) throws(Errno) in
                    try Stat(text, followTargetSymlink: follows)
                }
            })
    }

    /// nil if there is nothing to be seen.
    package static func of(_ path: LocalPath, follows: Bool) -> FileStatus? {
        try? FileStatus(path, follows: follows)
    }

    /// True if it belongs to the user that this process runs as.
    package var isOwn: Bool { owner == geteuid() }

    /// True if both are one file.
    package func isSame(as other: FileStatus) -> Bool {
        identity.device == other.identity.device && identity.inode == other.identity.inode
    }
}

/// The number of an open file, which somebody else closes.
package typealias Descriptor = FileDescriptor

extension FileDescriptor {
    /// The value that the system's calls take.
    package var number: CInt { rawValue }

    package func status(name: String = "") throws(SystemCallError) -> FileStatus {
        FileStatus(try SystemCallError.of("fstat", name) { () throws(Errno) in try Stat(self) })
    }

    /// Reads once; fewer bytes than the buffer holds are no end of the file, 0 bytes are.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemCallError) -> Int {
        try SystemCallError.check("pread") { systemRead(rawValue, buffer, offset) }
    }
}
