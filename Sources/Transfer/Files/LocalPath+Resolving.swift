public import FerryProtocols

extension LocalPath {
    /// The same place by the path on which no symbolic link lies.
    ///
    /// - Throws: `UploadFailure` (`sourceUnreadable`), also for a link that leads nowhere or round in a circle.
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
