public import FerryProtocols

extension LocalPath {
    /// Returns the path to the same file without symbolic links.
    ///
    /// - Throws: `UploadFailure`. It is `sourceUnreadable` if nothing is at the path, or if a link is dangling or
    ///   circular.
    public func resolved() throws(UploadFailure) -> LocalPath {
        do throws(SystemCallError) { return try withoutLinks() } catch {
            throw failure(error.code)
        }
    }

    private func failure(_ code: Errno) -> UploadFailure {
        switch code {
        case .tooManySymbolicLinkLevels: SourceFile.unreadable(self, "is on a loop of symbolic links")
        case .noSuchFileOrDirectory:
            SourceFile.unreadable(
                self,
                linkTarget.map { "is a symbolic link to \($0.text), where nothing is" } ?? "no such file")
        default: SourceFile.failure(self, code)
        }
    }
}
