public import FerryProtocols

extension LocalPath {
    /// Returns the path of the same file or folder with each symbolic link replaced by its target.
    ///
    /// - Throws: `UploadFailure` that names the path and the reason, for example that nothing is at the path, or that
    ///   the links form a loop.
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
