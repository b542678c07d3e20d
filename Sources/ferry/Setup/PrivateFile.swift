import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file for this user alone, which is there whole or not at all.
struct PrivateFile {
    /// Symbolic links have been followed: one that keeps its configuration elsewhere goes on to.
    let path: String
    /// The folder that was named. What a link leads to may be a repository that others read.
    let namedFolder: String

    init(_ path: String) {
        namedFolder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// - Returns: nil if there is none.
    /// - Throws: `CommandFailure` if it cannot be read.
    func content() throws(CommandFailure) -> [UInt8]? {
        if let data = FileManager.default.contents(atPath: path) { return Array(data) }
        guard LocalFiles.mode(of: path) == nil else { throw failure("cannot be read", errno) }
        return nil
    }

    /// Replaces it; with mode 0600, in a folder that is made if it is missing.
    ///
    /// - Throws: `CommandFailure`; then it is as it was.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(
                status: 73, summary: "the folder \(folder) cannot be made: \(error.localizedDescription)")
        }
        let new = "\(path).\(getpid())"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be written", errno) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try handle.write(contentsOf: Data(bytes))
        } catch {
            unlink(new)
            throw CommandFailure(
                status: 73, summary: "\(path) cannot be written: \(error.localizedDescription)")
        }
        guard fsync(descriptor) == 0, rename(new, path) == 0 else {
            let code = errno
            unlink(new)
            throw failure("cannot be written", code)
        }
    }

    private func failure(_ what: String, _ code: Int32) -> CommandFailure {
        CommandFailure(status: 73, summary: "\(path) \(what): \(String(cString: strerror(code)))")
    }
}
