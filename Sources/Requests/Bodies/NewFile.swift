import FerryFiles
import FerryProtocols
import NIOPosix
import Synchronization

/// A new file for writing. All system calls are made off the caller's thread.
final class NewFile: Sendable {
    private let path: LocalPath
    /// The open file; nil once it is closed.
    private let file: Mutex<OpenFile?>

    private init(_ path: LocalPath) throws {
        self.path = path
        guard !path.bytes.contains(0) else { throw Self.failure(path, "no such folder") }
        file = Mutex(try OpenFile(path, for: .creating))
    }

    /// Creates the file. The path must not exist yet.
    static func create(_ path: LocalPath) async throws(UploadFailure) -> NewFile {
        try await onPool(path) { try NewFile(path) }
    }

    func write(_ bytes: [UInt8]) async throws(UploadFailure) {
        try await Self.onPool(path) { try self.file.withLock({ $0 })?.append(bytes) }
    }

    /// Closes the file.
    /// - Throws: `UploadFailure`: some file systems report a write error only now.
    func close() async throws(UploadFailure) {
        try await Self.onPool(path) { try self.file.withLock({ $0.take() })?.close() }
    }

    /// Removes the file, in another task, because the thread pool refuses the work of a cancelled one.
    func remove() async {
        await Task { try? await Self.onPool(path) { try self.path.remove() } }.value
    }

    private static func onPool<Result: Sendable>(
        _ path: LocalPath, _ work: @escaping @Sendable () throws -> Result
    ) async throws(UploadFailure) -> Result {
        do { return try await NIOThreadPool.singleton.runIfActive(work) } catch let failure as UploadFailure {
            throw failure
        } catch let error as SystemCallError {
            throw failure(path, text(of: error.code))
        } catch {
            throw failure(path, "\(error)")
        }
    }

    private static func failure(_ path: LocalPath, _ reason: String) -> UploadFailure {
        UploadFailure(
            .permanent, "\(path.text) cannot be written: \(reason)",
            hint: "give the path of a file that does not exist, in a folder where there is room")
    }

    private static func text(of code: Errno) -> String {
        switch code {
        case .fileExists: "it exists"
        case .noSuchFileOrDirectory, .notDirectory: "no such folder"
        case .permissionDenied, .notPermitted: "permission denied"
        default: code.phrase
        }
    }
}
