import CFerryFiles
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Functions that open a file for reading. `open(_:)` follows no symbolic link anywhere in the path. `following(_:)`
/// follows symbolic links.
package enum NoFollowOpen {
    package enum Ending {
        /// The file is open; the caller closes the descriptor.
        case opened(FileDescriptor)
        /// The path contains this symbolic link.
        case link(LocalPath)
        /// The path names a folder or a special file, which was not opened: some devices have side effects.
        case special(isFolder: Bool)
        case failed(Errno)
    }

    #if os(Linux)
        /// The flags for opening a folder. The number is O_PATH, which Swift does not import, and which needs no read
        /// permission.
        static let folderFlags = 0o10000000 | O_DIRECTORY | O_CLOEXEC
    #else
        static let folderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    #endif

    // Opening a FIFO must not block until a writer comes, and a terminal must not become the controlling one.
    private static let fileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

    package static func open(_ path: LocalPath) -> Ending {
        // One call for all folders. If it fails, the walk finds the reason. Linux before 5.6 and some containers do not
        // have the call.
        if let slash = path.bytes.lastIndex(of: 0x2F), slash > 0 {
            let above = LocalPath(bytes: Array(path.bytes[..<slash]))
            let last = Array(path.bytes[(slash + 1)...])
            let folder = above.withCString {
                DescriptorLimit.leavingRoom(ferry_open_without_links(AT_FDCWD, $0, folderFlags))
            }
            if folder >= 0 {
                defer { close(folder) }
                let isName = last.count > 2 || !last.allSatisfy { $0 == 0x2E }
                if isName { return file(last, in: folder, at: above) }
            }
        }
        let components = path.bytes.split(separator: 0x2F).map(Array.init).filter { $0 != [0x2E] }
        guard let last = components.last else {
            return path.bytes.isEmpty ? .failed(.noSuchFileOrDirectory) : .special(isFolder: true)
        }
        // A trailing slash means a folder.
        if path.bytes.last == 0x2F { return .failed(.notDirectory) }
        return walk(components.dropLast(), to: last, from: LocalPath(path.bytes.first == 0x2F ? "/" : "."))
    }

    private static func walk(_ folders: ArraySlice<[UInt8]>, to last: [UInt8], from start: LocalPath)
        -> Ending
    {
        var walked = start
        var folder = walked.withCString { DescriptorLimit.leavingRoom(openat(AT_FDCWD, $0, folderFlags)) }
        guard folder >= 0 else { return .failed(.last) }
        defer { close(folder) }
        for component in folders {
            let name = LocalPath(bytes: component)
            let next = name.withCString {
                DescriptorLimit.leavingRoom(openat(folder, $0, folderFlags | O_NOFOLLOW))
            }
            guard next >= 0 else {
                let code = errno
                return mode(of: name, in: folder) == S_IFLNK
                    ? .link(walked.appending(component)) : .failed(Errno(rawValue: code))
            }
            close(folder)
            folder = next
            walked = walked.appending(component)
        }
        return file(last, in: folder, at: walked)
    }

    /// Opens the file `last` in the open folder `folder`, whose path is `above`.
    private static func file(_ last: [UInt8], in folder: CInt, at above: LocalPath) -> Ending {
        let name = LocalPath(bytes: last)
        guard let kind = mode(of: name, in: folder) else { return .failed(.last) }
        switch kind {
        case S_IFLNK: return .link(above.appending(last))
        case S_IFREG: break
        default: return .special(isFolder: kind == S_IFDIR)
        }
        let file = name.withCString {
            DescriptorLimit.leavingRoom(openat(folder, $0, fileFlags | O_NOFOLLOW))
        }
        if file >= 0 { return .opened(FileDescriptor(rawValue: file)) }
        let code = errno
        // ELOOP: another process replaced the file by a symbolic link between fstatat and openat.
        return code == ELOOP ? .link(above.appending(last)) : .failed(Errno(rawValue: code))
    }

    /// Opens a file through symbolic links. The caller closes the descriptor.
    package static func following(_ path: LocalPath) throws(SystemCallError) -> FileDescriptor {
        let opened = try SystemCallError.check("open", path.text) {
            path.withCString { DescriptorLimit.leavingRoom(openat(AT_FDCWD, $0, fileFlags)) }
        }
        return FileDescriptor(rawValue: opened)
    }

    /// Returns the file type of the entry `name` itself.
    private static func mode(of name: LocalPath, in folder: CInt) -> mode_t? {
        var status = stat()
        guard name.withCString({ fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }
}
