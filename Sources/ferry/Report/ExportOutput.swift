import FerryTransfer
import Foundation
import Synchronization

/// Where an export goes: a new file that nobody else can read, or standard output.
final class ExportOutput: Sendable {
    private let handle: FileHandle
    private let path: String?
    private let isTerminal: Bool
    private let failure = Mutex<String?>(nil)

    /// - Parameter file: nil for standard output.
    init(_ file: String?) throws(CommandFailure) {
        guard let file else {
            (handle, path, isTerminal) = (.standardOutput, nil, isatty(STDOUT_FILENO) == 1)
            return
        }
        let path = LocalFiles.expanded(file)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(
                status: CommandFailure.usage,
                summary: "\(path) cannot be made: \(String(cString: strerror(errno)))",
                hint: "name a file that is not there yet")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        (self.path, isTerminal) = (path, false)
    }

    /// Writes whole lines. What goes wrong is told at the end.
    func write(_ bytes: [UInt8]) {
        guard failure.withLock({ $0 == nil }) else { return }
        // JSON lets characters stand as they are that a terminal obeys.
        let text = isTerminal ? JSONLine.escaped(String(decoding: bytes, as: UTF8.self), but: "\n") : nil
        do {
            try handle.write(contentsOf: text.map { Data($0.utf8) } ?? Data(bytes))
        } catch {
            failure.withLock { $0 = error.localizedDescription }
        }
    }

    /// - Throws: `CommandFailure` if not everything was written; then there is no file.
    func finish() throws(CommandFailure) {
        var reason = failure.withLock { $0 }
        if path != nil, reason == nil, fsync(handle.fileDescriptor) != 0 {
            reason = String(cString: strerror(errno))
        }
        guard let reason else { return }
        if let path { unlink(path) }
        throw CommandFailure(status: 73, summary: "the export was not written: \(reason)")
    }
}
