package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Opens a file component by component, so that no symbolic link is followed, wherever on the way it is.
package enum NoFollowOpen {
    package enum Ending {
        /// The descriptor is the caller's to close.
        case opened(FileDescriptor)
        /// A symbolic link is on the way.
        case link(LocalPath)
        /// The path leads to no regular file. It was not opened: opening some devices has effects.
        case special(isFolder: Bool)
        case failed(Errno)
    }

    #if os(Linux)
        /// Flags with O_PATH, which Swift does not see: it needs no right to read the folder, only to go through it.
        private static let folderFlags = 0o10000000 | O_DIRECTORY | O_CLOEXEC
    #else
        private static let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    #endif

    // Without O_NONBLOCK a FIFO would hold us until somebody writes to it; a terminal must not become ours.
    private static let fileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

    package static func open(_ path: LocalPath) -> Ending {
        let isAbsolute = path.bytes.first == 0x2F
        let components = path.bytes.split(separator: 0x2F).map(Array.init).filter { $0 != [0x2E] }
        guard let last = components.last else {
            return path.bytes.isEmpty ? .failed(.noSuchFileOrDirectory) : .special(isFolder: true)
        }
        // The system wants a folder before a slash at the end.
        if path.bytes.last == 0x2F { return .failed(.notDirectory) }
        var walked = LocalPath(isAbsolute ? "/" : ".")
        var folder = walked.withCString { openat(AT_FDCWD, $0, folderFlags) }
        guard folder >= 0 else { return .failed(.last) }
        defer { close(folder) }
        for component in components.dropLast() {
            let name = LocalPath(bytes: component)
            let next = name.withCString { openat(folder, $0, folderFlags | O_NOFOLLOW) }
            guard next >= 0 else {
                let code = errno
                return mode(of: name, in: folder) == S_IFLNK
                    ? .link(walked.appending(component)) : .failed(Errno(rawValue: code))
            }
            close(folder)
            folder = next
            walked = walked.appending(component)
        }
        let name = LocalPath(bytes: last)
        guard let kind = mode(of: name, in: folder) else { return .failed(.last) }
        switch kind {
        case S_IFLNK: return .link(walked.appending(last))
        case S_IFREG: break
        default: return .special(isFolder: kind == S_IFDIR)
        }
        let file = name.withCString { openat(folder, $0, fileFlags | O_NOFOLLOW) }
        if file >= 0 { return .opened(FileDescriptor(rawValue: file)) }
        let code = errno
        // It became one in this moment.
        return code == ELOOP ? .link(walked.appending(last)) : .failed(Errno(rawValue: code))
    }

    /// Opens a regular file, following symbolic links.
    ///
    /// - Throws: `SystemCallError`.
    package static func following(_ path: LocalPath) throws(SystemCallError) -> FileDescriptor {
        let opened = try SystemCallError.check("open", path.text) {
            path.withCString { openat(AT_FDCWD, $0, fileFlags) }
        }
        return FileDescriptor(rawValue: opened)
    }

    /// The type of what a name is, itself and not what it may lead to; nil if there is nothing.
    private static func mode(of name: LocalPath, in folder: CInt) -> mode_t? {
        var status = stat()
        guard name.withCString({ fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }
}
