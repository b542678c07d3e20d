import FerryFiles
import Synchronization

/// The output of `ferry state export`: a new file that only this user can read, or standard output.
final class ExportOutput: Sendable {
    private let file: (open: OpenFile, path: LocalPath)?
    private let failure = Mutex<String?>(nil)

    /// Creates the new file; nil means standard output. Throws if the file exists already or cannot be created.
    init(_ file: String?) throws(CommandFailure) {
        guard let file else {
            self.file = nil
            return
        }
        let path = LocalPath(LocalFiles.expanded(file))
        do throws(SystemCallError) { self.file = (try OpenFile(path, for: .creating), path) } catch {
            throw CommandFailure(
                usage: "\(path.text) cannot be created: \(error.reason)",
                hint: "name a file that is not there yet")
        }
    }

    /// Writes complete lines; on a terminal, with control characters escaped. `finish` throws the first error.
    func write(_ bytes: [UInt8]) {
        guard failure.withLock({ $0 == nil }) else { return }
        do throws(SystemCallError) {
            if let file {
                try file.open.append(bytes)
            } else if TerminalSize.ofOutput == nil {
                try StandardStream.output.write(bytes)
            } else {
                // JSON may contain characters that a terminal interprets.
                let text = JSONLine.escaped(String(decoding: bytes, as: UTF8.self), but: "\n")
                try StandardStream.output.write(Array(text.utf8))
            }
        } catch {
            failure.withLock { $0 = error.reason }
        }
    }

    /// Synchronizes a new file with the disk. If anything failed, removes the incomplete file and throws.
    func finish() throws(CommandFailure) {
        var reason = failure.withLock { $0 }
        if let file, reason == nil {
            do throws(SystemCallError) { try file.open.synchronize() } catch { reason = error.reason }
        }
        guard let reason else { return }
        try? file?.path.remove()
        throw CommandFailure(
            status: CommandFailure.outputLost, summary: "the export was not written: \(reason)",
            hint: "make room, or name another file")
    }
}
