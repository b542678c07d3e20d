import CFerryFiles
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension LocalPath {
    /// The maximum length in bytes of a path for system calls, with the null at the end.
    package static let lengthLimit = Int(PATH_MAX)

    /// Returns the path to the same file without symbolic links (`realpath(3)`).
    package func withoutLinks() throws(SystemCallError) -> LocalPath {
        // The C library would end the path at the null byte.
        guard !bytes.contains(0) else {
            throw SystemCallError(call: "realpath", name: text, code: .noSuchFileOrDirectory)
        }
        guard let found = withCString({ realpath($0, nil) }) else {
            throw SystemCallError("realpath", name: text)
        }
        defer { free(found) }
        return LocalPath(bytes: Array(UnsafeRawBufferPointer(start: found, count: strlen(found))))
    }

    /// Reads a file or a pipe up to `limit` bytes, through symbolic links; nil if that fails. Of a pipe without a
    /// writer (FIFO), waits for one or finds it empty.
    package func content(upTo limit: Int, waitsForWriter: Bool = true) -> [UInt8]? {
        try? readContent(upTo: limit, waitsForWriter: waitsForWriter)
    }

    /// Reads a file or a pipe like `content(upTo:waitsForWriter:)`.
    package func readContent(
        upTo limit: Int, waitsForWriter: Bool = true
    ) throws(SystemCallError) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
        let opened = try SystemCallError.check("open", text) {
            withCString { open($0, waitsForWriter ? flags : flags | O_NONBLOCK) }
        }
        // Reading waits for a writer that has the pipe open.
        _ = fcntl(opened, F_SETFL, flags)
        let file = OpenFile(FileDescriptor(rawValue: opened), name: text)
        var content: [UInt8] = []
        while content.count < limit {
            let block = try file.readNext(upTo: min(limit - content.count, 1 << 16))
            if block.isEmpty { break }
            content += block
        }
        return content
    }

    /// The path, below the working directory unless it is absolute.
    package var absolute: LocalPath {
        if bytes.first == UInt8(ascii: "/") { return self }
        return LocalPath(FileManager.default.currentDirectoryPath).appending(bytes)
    }

    /// True if the file has, or may have, a POSIX access control list (acl(5)). Always false on systems other than
    /// Linux.
    ///
    /// The list can name any user, and the group bits of the mode are only its mask.
    var hasAccessList: Bool {
        #if os(Linux)
            withCString { text in
                getxattr(text, "system.posix_acl_access", nil, 0) >= 0
                    || ![ENODATA, ENOTSUP, ENOSYS].contains(errno)
            }
        #else
            false
        #endif
    }

    package func makeFolder() throws(SystemCallError) {
        try SystemCallError.check("mkdir", text) { withCString { mkdir($0, 0o700) } }
    }

    /// Makes the folder, if it is missing, and its parents.
    package func makeFolders() throws(SystemCallError) {
        do throws(SystemCallError) {
            try makeFolder()
        } catch {
            switch error.code {
            case .fileExists where FileStatus.of(self, follows: true)?.kind == .folder: return
            case .noSuchFileOrDirectory:
                guard let parent, parent != self else { throw error }
                try parent.makeFolders()
                try makeFolder()
            default: throw error
            }
        }
    }

    /// Removes the file at this path. A missing file is an error (`ENOENT`).
    package func remove() throws(SystemCallError) {
        try SystemCallError.check("unlink", text) { withCString { unlink($0) } }
    }

    /// Renames the file, in place of a file that has the new name.
    package func rename(to other: LocalPath) throws(SystemCallError) {
        try SystemCallError.check("rename", other.text) {
            withCString { from in other.withCString { systemRename(from, $0) } }
        }
    }

    /// The target of a symbolic link, as stored; nil if the path is none.
    package var linkTarget: LocalPath? {
        var buffer = [CChar](repeating: 0, count: Self.lengthLimit)
        let count = withCString { readlink($0, &buffer, buffer.count) }
        return count > 0 ? LocalPath(bytes: buffer.prefix(count).map { UInt8(bitPattern: $0) }) : nil
    }
}

/// The C function `rename(2)`, renamed because a method of `LocalPath` hides it.
private func systemRename(_ from: UnsafePointer<CChar>, _ to: UnsafePointer<CChar>) -> CInt {
    rename(from, to)
}
