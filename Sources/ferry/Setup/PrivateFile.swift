import FerryFiles
import FerryTransfer

/// A file that only this user can read. It is written completely or not at all.
struct PrivateFile {
    /// The file's path with symbolic links resolved, so that a linked configuration stays linked.
    let path: String
    /// The folder of the given path. The link's target may be in a repository that others read.
    let namedFolder: String

    init(_ path: String) {
        namedFolder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// - Returns: The content; nil if there is no file.
    /// - Throws: `CommandFailure` if it cannot be read.
    func content() throws(CommandFailure) -> [UInt8]? {
        if let data = FileManager.default.contents(atPath: path) { return Array(data) }
        do throws(SystemCallError) {
            _ = try OpenFile(LocalPath(path), for: .reading)
            throw SystemCallError(call: "read", code: .ioError)
        } catch {
            if error.code == .noSuchFileOrDirectory { return nil }
            throw failure("cannot be read", error)
        }
    }

    /// Replaces the content. The file has mode 0600, and a missing folder is created.
    ///
    /// - Throws: `CommandFailure`; then the file is unchanged.
    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        do throws(SystemCallError) { try LocalPath(folder).makeFolders() } catch {
            throw CommandFailure(
                status: 73, summary: "the folder \(folder) cannot be created: \(error.reason)")
        }
        let file = LocalPath(path)
        do throws(SystemCallError) {
            try Directory(LocalPath(folder), follows: true).replace(
                LocalPath(file.name), with: bytes, draft: LocalPath("\(file.name).\(Machine.process)"))
        } catch {
            throw failure("cannot be written", error)
        }
    }

    private func failure(_ what: String, _ error: SystemCallError) -> CommandFailure {
        CommandFailure(status: 73, summary: "\(path) \(what): \(error.reason)")
    }
}
