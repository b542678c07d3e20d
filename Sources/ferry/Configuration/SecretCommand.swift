import Foundation
import Synchronization
import Transfer
import UploadProtocols

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs a secret's command: no shell, a small environment, limits on its time and on what it prints.
///
/// What it complains of is shown when it fails, in a line without what looks like a secret and without anything that it
/// printed as one.
enum SecretCommand {
    static let timeout = Duration.seconds(30)
    /// Of standard output; more is no secret.
    private static let outputLimit = 65_536
    /// Of standard error; the rest is read and dropped.
    private static let complaintLimit = 4096
    private static let passedOn = [
        "PATH", "HOME", "USER", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    private enum Ending: Sendable {
        case over(text: Data, complaint: Data, status: Int32)
        case tooMuch
    }

    /// - Parameters:
    ///   - others: Variables that the command gets besides.
    ///   - limit: After so long it is killed, with all that it started.
    static func run(
        _ words: [String], of secret: Secret, passing others: [String] = [], upTo limit: Duration = timeout
    ) async throws(UploadFailure) -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["--"] + words
        let environment = ProcessInfo.processInfo.environment
        process.environment = environment.filter { (passedOn + others).contains($0.key) }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        process.standardError = errors
        let (endings, end) = AsyncStream.makeStream(of: Ending.self)
        do { try process.run() } catch { throw SecretReader.missing(secret, "cannot be run") }
        let complaint = Complaint(errors, keeping: complaintLimit)
        // Threads of their own: whatever the command leaves running may keep its output open for ever.
        Thread.detachNewThread {
            guard let text = read(output, upTo: outputLimit) else {
                killGroup(of: process)
                end.yield(.tooMuch)
                return end.finish()
            }
            let status = status(of: process)
            end.yield(.over(text: text, complaint: complaint.read(), status: status))
            end.finish()
        }
        let killer = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            killGroup(of: process)
            end.finish()
        }
        defer { killer.cancel() }
        for await ending in endings {
            switch ending {
            case .tooMuch: throw SecretReader.missing(secret, "printed more than \(outputLimit) bytes")
            case .over(let text, _, 0): return String(decoding: text, as: UTF8.self)
            case .over(let text, let complaint, let status):
                let words = Self.words(of: complaint, without: text)
                throw SecretReader.missing(
                    secret, "ended with status \(status)" + (words.isEmpty ? "" : ": \(words)"))
            }
        }
        throw SecretReader.missing(secret, "did not end in time")
    }

    /// Foundation makes the command the leader of a process group.
    private static func killGroup(of process: Process) {
        kill(-process.processIdentifier, SIGKILL)
        // Should the group be another's: the command itself at least.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// How the command ended. Foundation waits for everything that it started too.
    private static func status(of process: Process) -> Int32 {
        var ending = siginfo_t()
        // The id stays taken until Foundation asks for it; if it has, it knows.
        while waitid(P_PID, id_t(process.processIdentifier), &ending, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else {
                process.waitUntilExit()
                return process.terminationStatus
            }
        }
        #if canImport(Darwin)
            return ending.si_status
        #else
            return ending._sifields._sigchld.si_status
        #endif
    }

    /// The last line, where programs say why they gave up.
    private static func words(of complaint: Data, without text: Data) -> String {
        let lines = String(decoding: complaint, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        var line = lines.last ?? ""
        for printed in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
            line = line.replacingOccurrences(of: printed, with: "…")
        }
        return String(Redaction.text(line).prefix(200))
    }

    /// - Returns: nil if there was more.
    private static func read(_ pipe: Pipe, upTo limit: Int) -> Data? {
        var text = Data()
        // An empty piece is the end.
        while text.count <= limit {
            let piece = pipe.fileHandleForReading.availableData
            guard !piece.isEmpty else { return text }
            text += piece
        }
        return nil
    }

    /// What a command writes to standard error, as far as it is kept.
    private final class Complaint: Sendable {
        private let text = Mutex(Data())
        private let ended = DispatchSemaphore(value: 0)

        init(_ pipe: Pipe, keeping limit: Int) {
            Thread.detachNewThread { [self] in
                while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
                    // The last bytes say most.
                    text.withLock { $0 = Data(($0 + piece).suffix(limit)) }
                }
                ended.signal()
            }
        }

        /// After the command has ended; something that it left running may go on writing.
        func read() -> Data {
            _ = ended.wait(timeout: .now() + 0.5)
            return text.withLock { $0 }
        }
    }
}
