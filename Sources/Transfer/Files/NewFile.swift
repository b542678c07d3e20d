import FerryProtocols
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that we have just made and are writing. All calls to the system are made off the caller's thread.
final class NewFile: Sendable {
    private let path: LocalPath
    /// nil once it is closed.
    private let descriptor: Mutex<CInt?>

    private init(_ path: LocalPath) throws(UploadFailure) {
        self.path = path
        guard !path.bytes.contains(0) else { throw Self.failure(path, "no such folder") }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let opened = path.withCString { open($0, flags, 0o600) }
        guard opened >= 0 else { throw Self.failure(path, Self.text(of: errno)) }
        descriptor = Mutex(opened)
    }

    deinit { _ = descriptor.withLock { $0.take().map(systemClose) } }

    /// - Throws: `UploadFailure` (`permanent`) that names the path and the reason, also if something is there.
    static func create(_ path: LocalPath) async throws(UploadFailure) -> NewFile {
        try await onPool(path) { try NewFile(path) }
    }

    func write(_ bytes: [UInt8]) async throws(UploadFailure) {
        try await Self.onPool(path) { try self.writeAll(bytes) }
    }

    /// - Throws: `UploadFailure` if the system says only now that the bytes could not be kept.
    func close() async throws(UploadFailure) {
        try await Self.onPool(path) {
            let result = self.descriptor.withLock { $0.take().map(systemClose) }
            if let result, result != 0 { throw Self.failure(self.path, Self.text(of: errno)) }
        }
    }

    /// Also in a task that is cancelled, in which the thread pool would refuse the work.
    func remove() async {
        await Task { try? await Self.onPool(path) { _ = self.path.withCString { unlink($0) } } }.value
    }

    private func writeAll(_ bytes: [UInt8]) throws(UploadFailure) {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                systemWrite(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
            }
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw Self.failure(path, Self.text(of: errno))
            }
        }
    }

    private static func onPool<Result: Sendable>(
        _ path: LocalPath, _ work: @escaping @Sendable () throws -> Result
    ) async throws(UploadFailure) -> Result {
        do { return try await NIOThreadPool.singleton.runIfActive(work) } catch let failure as UploadFailure {
            throw failure
        } catch {
            throw failure(path, "\(error)")
        }
    }

    private static func failure(_ path: LocalPath, _ reason: String) -> UploadFailure {
        UploadFailure(
            .permanent, "\(path.text) cannot be written: \(reason)",
            hint: "give the path of a file that does not exist, in a folder where there is room")
    }

    private static func text(of code: CInt) -> String {
        switch code {
        case EEXIST: "it exists"
        case ENOENT, ENOTDIR: "no such folder"
        case EACCES, EPERM: "permission denied"
        default: String(cString: strerror(code)).lowercased()
        }
    }
}

/// `close(2)` and `write(2)`, which the methods of `NewFile` would hide.
private func systemClose(_ descriptor: CInt) -> CInt { close(descriptor) }
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
