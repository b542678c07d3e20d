package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The kind of an entry in the file system.
package enum FileKind: Hashable, Sendable {
    case file, folder, link
    /// A device, a pipe or a socket.
    case special
    /// An entry that `stat(2)` cannot examine.
    case missing

    /// Returns the kind of the entry at `path`, or of a symbolic link's target if `follows` is true.
    package static func of(_ path: LocalPath, follows: Bool) -> FileKind {
        FileStatus.of(path, follows: follows)?.kind ?? .missing
    }
}

package struct FileStatus: Hashable, Sendable {
    package let identity: FileIdentity
    package let kind: FileKind
    /// True for a named pipe (FIFO), which has content that other processes write.
    let isPipe: Bool
    /// The permission bits, with the sticky, setuid and setgid bits.
    package let mode: UInt32
    package let owner: UInt32
    let group: UInt32
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
        isPipe = status.type == .fifo
        mode = UInt32(status.mode.permissions.rawValue)
        owner = UInt32(status.userID.rawValue)
        group = UInt32(status.groupID.rawValue)
        links = UInt64(status.linkCount)
    }

    /// - Throws: `SystemCallError` if `stat(2)` or `lstat(2)` fails.
    package init(_ path: LocalPath, follows: Bool) throws(SystemCallError) {
        try self.init(
            SystemCallError.of("stat", path.text) { () throws(Errno) in
                try path.withCString { (text) throws(Errno) in
                    try Stat(text, followTargetSymlink: follows)
                }
            })
    }

    package static func of(_ path: LocalPath, follows: Bool) -> FileStatus? {
        try? FileStatus(path, follows: follows)
    }

    package var isOwn: Bool { owner == geteuid() }

    /// The reason why a private file or folder is unsafe: another owner, or access for others.
    package var danger: FileDanger? {
        if !isOwn { return .owner(owner) }
        return mode & 0o077 == 0 ? nil : .openToOthers
    }

    /// True if both have the same device and inode.
    package func isSame(as other: FileStatus) -> Bool {
        identity.device == other.identity.device && identity.inode == other.identity.inode
    }
}

/// The descriptor of an open file, which the value does not own.
package typealias Descriptor = FileDescriptor

extension FileDescriptor {
    package var number: CInt { rawValue }

    package func status(name: String = "") throws(SystemCallError) -> FileStatus {
        FileStatus(try SystemCallError.of("fstat", name) { () throws(Errno) in try Stat(self) })
    }

    /// Reads once from `offset`, and returns the number of bytes; only 0 means the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemCallError) -> Int {
        try SystemCallError.check("pread") { systemRead(rawValue, buffer, offset) }
    }
}
