import Dispatch
import Synchronization
import SystemPackage

/// A program that Ferry runs without a shell, in a process group and an environment of its own, with limits on its run
/// time and on the stored part of its output.
package struct ChildCommand: Sendable {
    /// The program, which Ferry searches in its own `PATH` unless its name has a slash, and its arguments.
    package var words: [String]
    package var environment: [String: String]
    /// The working directory of the program; nil for the working directory of this process.
    package var folder: String?
    package var input = Data()
    package var output = Output.last(4096)

    package init(
        words: [String], environment: [String: String], folder: String? = nil, input: Data = Data(),
        output: Output = .last(4096)
    ) {
        self.words = words
        self.environment = environment
        self.folder = folder
        self.input = input
        self.output = output
    }

    /// The part of standard output that the result contains. That of standard error is always its last 4096 bytes.
    package enum Output: Sendable {
        /// All output, until every process has closed its end of the pipe. A command that prints more is killed.
        case all(atMost: Int)
        /// The last bytes of the output. `run` waits for its end at most 500 ms after that of the command.
        case last(Int)
    }

    package struct Result: Equatable, Sendable {
        package enum Ending: Equatable, Sendable {
            case exited(Int32)
            case killed(by: Int32)
            /// The command exceeded its run time or the limit on its output. Its process group was killed.
            case timedOut, printedTooMuch
            /// The caller's task was cancelled, and the process group killed.
            case cancelled
        }

        package var ending: Ending
        package var output: Data
        package var complaint: Data

        /// Returns the last line with text, which usually states the reason for a failure.
        package static func lastLine(of printed: Data) -> String {
            String(decoding: printed, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmed() }.last { !$0.isEmpty } ?? ""
        }
    }

    package struct CannotStart: Error {
        /// The reason for users, as the end of the sentence "cannot be started: …".
        package var reason: String
    }

    private static let complaintLimit = 4096
    /// The longest wait for the end of an output pipe after the command has ended. A child process of the command can
    /// hold the pipe open.
    private static let timeout = DispatchTimeInterval.milliseconds(500)

    /// Returns the named environment variables of this process. A name that ends in `*` is a prefix.
    package static func environment(_ names: [String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { variable, _ in
            names.contains { $0 == variable || $0.hasSuffix("*") && variable.hasPrefix($0.dropLast()) }
        }
    }

    /// Runs the command until it ends, or kills its process group after `limit`, a cancellation or too much output.
    package func run(upTo limit: Duration) async throws(CannotStart) -> Result {
        let (process, pipes) = try start()
        let (endings, end) = AsyncStream.makeStream(of: Result.Ending.self)
        let printed: ChildOutput
        switch output {
        case .all(let most): printed = ChildOutput(pipes.output, atMost: most) { end.yield(.printedTooMuch) }
        case .last(let count): printed = ChildOutput(pipes.output, last: count)
        }
        let complaint = ChildOutput(pipes.errors, last: Self.complaintLimit)
        // Writing the input and waiting have separate threads, because each may block as long as the command runs.
        DetachedThread.start { [input] in
            // A command may ignore its input.
            try? pipes.input.append(Array(input))
            try? pipes.input.close()
        }
        DetachedThread.start { [output] in
            // nil means that `bury` has killed and reaped the process, so the result is already decided.
            let ending = process.waitForEnd().map(Result.Ending.init) ?? .cancelled
            if case .all = output { printed.wait() } else { printed.wait(upTo: Self.timeout) }
            complaint.wait(upTo: Self.timeout)
            end.yield(ending)
        }
        let clock = Task {
            if (try? await Task.sleep(for: limit)) != nil { end.yield(.timedOut) }
        }
        defer { clock.cancel() }
        var ending = Result.Ending.cancelled
        for await first in endings {
            ending = first
            break
        }
        Self.bury(process, ending)
        return Result(ending: ending, output: printed.bytes, complaint: complaint.bytes)
    }

    /// Kills the process group of a command that still runs, and reaps the command. Until then, the kernel reserves its
    /// process id, so the signal reaches no other process.
    private static func bury(_ process: ChildProcess, _ ending: Result.Ending) {
        switch ending {
        case .exited, .killed: break
        case .timedOut, .printedTooMuch, .cancelled: process.killGroup()
        }
        DetachedThread.start { process.reap() }
    }

    private struct Pipes: Sendable {
        var input: OpenFile
        var output: OpenFile
        var errors: OpenFile
    }

    private func start() throws(CannotStart) -> (ChildProcess, Pipes) {
        guard !words.isEmpty else { throw CannotStart(reason: "no program is named") }
        do throws(SystemCallError) {
            let (input, output, errors) = (try Self.makePipe(), try Self.makePipe(), try Self.makePipe())
            let process = try ChildProcess(
                words: words, environment: .only(environment), folder: folder, input: input.read.descriptor,
                output: output.write.descriptor, errors: errors.write.descriptor, isolation: .group)
            for ours in [input.read, output.write, errors.write] { try? ours.close() }
            return (process, Pipes(input: input.write, output: output.read, errors: errors.read))
        } catch {
            throw CannotStart(reason: error.reason)
        }
    }

    private static func makePipe() throws(SystemCallError) -> (read: OpenFile, write: OpenFile) {
        let ends = try openPipe()
        return (
            OpenFile(FileDescriptor(rawValue: ends.read), name: "pipe"),
            OpenFile(FileDescriptor(rawValue: ends.write), name: "pipe")
        )
    }
}

extension ChildCommand.Result.Ending {
    fileprivate init(_ ending: ChildProcess.Ending) {
        switch ending {
        case .exited(let status): self = .exited(status)
        case .killed(let signal): self = .killed(by: signal)
        }
    }
}

/// The reader of one output pipe of a command, to the end, so that the command does not block on a full pipe.
private final class ChildOutput: Sendable {
    private let text = Mutex(Data())
    private let ended = DispatchSemaphore(value: 0)

    var bytes: Data { text.withLock { $0 } }

    init(_ pipe: OpenFile, last count: Int) {
        read(pipe) { text, chunk in
            text = Data((text + chunk).suffix(count))
            return true
        }
    }

    init(_ pipe: OpenFile, atMost limit: Int, tooMuch: @escaping @Sendable () -> Void) {
        read(pipe) { text, chunk in
            text += chunk
            guard text.count > limit else { return true }
            tooMuch()
            return false
        }
    }

    private func read(_ pipe: OpenFile, keep: @escaping @Sendable (inout Data, [UInt8]) -> Bool) {
        DetachedThread.start { [self] in
            // An empty chunk is the end.
            while let chunk = try? pipe.readNext(upTo: 1 << 16), !chunk.isEmpty {
                guard text.withLock({ keep(&$0, chunk) }) else { break }
            }
            ended.signal()
        }
    }

    func wait() { ended.wait() }

    func wait(upTo timeout: DispatchTimeInterval) { _ = ended.wait(timeout: .now() + timeout) }
}
