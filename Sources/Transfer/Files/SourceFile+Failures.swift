public import FerryProtocols

extension SourceFile {
    /// Returns a `sourceUnreadable` failure. `reason` comes after the path, such as `no such file`.
    public static func unreadable(
        _ path: LocalPath, _ reason: String, hint: String = "put the file right, then retry",
        detail: UploadFailure.Detail? = nil
    ) -> UploadFailure {
        UploadFailure(.sourceUnreadable, "\(path.text): \(reason)", hint: hint, detail: detail)
    }

    /// Returns the failure for a disk or network share that does not allow reading now.
    static func away(_ path: LocalPath, _ reason: String) -> UploadFailure {
        UploadFailure(.sourceAway, "\(path.text): source not readable (\(reason))", hint: mediumHint)
    }

    /// Returns the failure for a system call on the file that has not returned within `timeout`.
    static func silent(_ path: LocalPath, for timeout: Duration) -> UploadFailure {
        UploadFailure(
            .sourceAway, "\(path.text): has not been read for \(timeout.inSeconds)",
            hint: "see whether its disk or network share answers; Ferry retries by itself")
    }

    /// Runs `body`, and turns its error into a failure that names the file.
    static func translating<Value>(
        _ path: LocalPath, _ body: () throws(SystemCallError) -> Value
    ) throws(UploadFailure) -> Value {
        do throws(SystemCallError) { return try body() } catch { throw failure(path, error.code) }
    }

    static func failure(_ path: LocalPath, opening code: Errno) -> UploadFailure {
        // ENXIO is the errno of a socket and of a device without a driver, but also of a file whose disk is gone.
        guard code == .noSuchAddressOrDevice, FileKind.of(path, follows: true) != .file else {
            return failure(path, code)
        }
        return unreadable(path, "is not a regular file")
    }

    static func failure(_ path: LocalPath, _ code: Errno) -> UploadFailure {
        switch code {
        case .noSuchFileOrDirectory, .notDirectory: unreadable(path, "no such file")
        case .permissionDenied, .notPermitted:
            unreadable(
                path, "permission denied", hint: "\(permissionAdvice), then retry", detail: .permission)
        case .tooManySymbolicLinkLevels: unreadable(path, "too many symbolic links")
        case .fileNameTooLong: unreadable(path, "its path is too long")
        case _ where DescriptorLimit.isLack(code): .noDescriptor(code, for: path.text)
        case _ where Volume.isTrouble(code): away(path, code.phrase)
        default: unreadable(path, code.phrase)
        }
    }

    /// The next step for a file that the user may not read.
    package static let permissionAdvice = "let this user read it (`chmod`, `chown`)"

    private static let mediumHint = "bring the disk or network share back; Ferry retries by itself"
}

extension Duration {
    /// The duration in seconds with at most one decimal, for messages: `30 s`.
    var inSeconds: String {
        let seconds = (self / .seconds(1) * 10).rounded() / 10
        let time = Int(exactly: seconds).map(String.init) ?? "\(seconds)"
        return "\(time) s"
    }
}

extension LocalPath {
    /// Returns the path of the same file or folder without symbolic links.
    ///
    /// - Throws: `UploadFailure`, for example that nothing is at the path, or that the links form a loop.
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
