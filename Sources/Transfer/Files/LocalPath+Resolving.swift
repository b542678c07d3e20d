public import FerryProtocols

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension LocalPath {
    /// The same place by the path on which no symbolic link lies.
    ///
    /// - Throws: `UploadFailure` (`sourceUnreadable`), also for a link that leads nowhere or round in a circle.
    public func resolved() throws(UploadFailure) -> LocalPath {
        guard !bytes.contains(0) else { throw SourceFile.unreadable(self, "no such file") }
        guard let found = withCString({ realpath($0, nil) }) else {
            throw failure(errno)
        }
        defer { free(found) }
        return LocalPath(bytes: Array(UnsafeRawBufferPointer(start: found, count: strlen(found))))
    }

    /// What a symbolic link says, as it stands in it; nil if this is none.
    var linkTarget: LocalPath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = withCString { readlink($0, &buffer, buffer.count) }
        return count > 0 ? LocalPath(bytes: buffer.prefix(count).map { UInt8(bitPattern: $0) }) : nil
    }

    private func failure(_ code: CInt) -> UploadFailure {
        switch code {
        case ELOOP: SourceFile.unreadable(self, "is on a loop of symbolic links")
        case ENOENT:
            SourceFile.unreadable(
                self,
                linkTarget.map { "is a symbolic link to \($0.text), where nothing is" } ?? "no such file")
        default: SourceFile.failure(self, code)
        }
    }
}
