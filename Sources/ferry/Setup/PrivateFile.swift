import FerryTransfer

/// A file that only this user can read. Each write replaces the whole file or leaves it unchanged.
struct PrivateFile {
    /// The path with symbolic links resolved, so that a write replaces the target and not the link.
    let path: String
    /// The folder for files with secrets. The target of a link may be a repository that others can read.
    let namedFolder: String

    init(_ path: String) {
        namedFolder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    /// Returns the content; nil if the file does not exist. Throws `CommandFailure` if the file cannot be read.
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

    /// Replaces the content, and creates the folder if it is missing. The file gets mode 0600.
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
