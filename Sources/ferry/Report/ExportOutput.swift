import FerryFiles
import FerryTransfer
import Synchronization

/// The output of an export: a new file that no other user can read, or standard output.
final class ExportOutput: Sendable {
    /// The file; nil for standard output.
    private let file: OpenFile?
    private let path: String?
    private let isTerminal: Bool
    private let failure = Mutex<String?>(nil)

    /// - Parameter file: The path; nil for standard output.
    init(_ file: String?) throws(CommandFailure) {
        guard let file else {
            (self.file, path, isTerminal) = (nil, nil, TerminalSize.ofOutput != nil)
            return
        }
        let path = LocalFiles.expanded(file)
        do throws(SystemCallError) { self.file = try OpenFile(LocalPath(path), for: .creating) } catch {
            throw CommandFailure(
                usage: "\(path) cannot be created: \(error.reason)", hint: "name a file that is not there yet"
            )
        }
        (self.path, isTerminal) = (path, false)
    }

    /// Writes complete lines. The first error is thrown at the end.
    func write(_ bytes: [UInt8]) {
        guard failure.withLock({ $0 == nil }) else { return }
        // JSON allows raw characters that a terminal interprets.
        let text = isTerminal ? JSONLine.escaped(String(decoding: bytes, as: UTF8.self), but: "\n") : nil
        do throws(SystemCallError) {
            if let file {
                try file.append(bytes)
            } else {
                try StandardStream.output.write(text.map { Array($0.utf8) } ?? bytes)
            }
        } catch {
            failure.withLock { $0 = error.reason }
        }
    }

    /// - Throws: `CommandFailure` if not everything was written; then there is no file.
    func finish() throws(CommandFailure) {
        var reason = failure.withLock { $0 }
        if let file, reason == nil {
            do throws(SystemCallError) { try file.synchronize() } catch { reason = error.reason }
        }
        guard let reason else { return }
        if let path { try? LocalPath(path).remove() }
        throw CommandFailure(status: 73, summary: "the export was not written: \(reason)")
    }
}
