import Dispatch
import Synchronization
import SystemPackage

/// A program that runs on behalf of Ferry: no shell, a process group of its own, an environment of its own, and limits
/// on its time and on what is kept of what it prints.
package struct ChildCommand: Sendable {
    /// The program, looked for in `PATH` unless it has a slash, and its arguments.
    package var words: [String]
    /// All of it.
    package var environment: [String: String]
    /// The folder in which it begins; nil for that of this process.
    package var folder: String?
    /// The bytes on its standard input.
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

    /// The part of its standard output that is kept. Of standard error the last bytes are kept, which say most.
    package enum Output: Sendable {
        /// All of it, until no process can write to it any more; more than so many bytes end the command.
        case all(atMost: Int)
        /// The last bytes that were there when the command itself had ended.
        case last(Int)
    }

    package struct Result: Equatable, Sendable {
        package enum Ending: Equatable, Sendable {
            case exited(Int32)
            case killed(by: Int32)
            /// Killed with all that it started.
            case timedOut, printedTooMuch
            /// The same, as nobody waits for it any more.
            case cancelled
        }

        package var ending: Ending
        package var output: Data
        package var complaint: Data

        /// The last line of what was printed, where programs say why they gave up; empty if there is none.
        package static func lastLine(of printed: Data) -> String {
            String(decoding: printed, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmed() }.last { !$0.isEmpty } ?? ""
        }
    }

    package struct CannotStart: Error {
        /// Completes "cannot be started: …".
        package var reason: String
    }

    private static let complaintLimit = 4096
    /// The time to read on after a command's end: a process that it left running may keep its output open for ever.
    private static let timeout = DispatchTimeInterval.milliseconds(500)

    /// The named variables of this process's environment; a name that ends in `*` stands for all that begin so.
    package static func environment(_ names: [String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { variable, _ in
            names.contains { $0 == variable || $0.hasSuffix("*") && variable.hasPrefix($0.dropLast()) }
        }
    }

    /// Returns when the command has ended, or after `limit` of it.
    package func run(upTo limit: Duration) async throws(CannotStart) -> Result {
        let (process, pipes) = try start()
        let (endings, end) = AsyncStream.makeStream(of: Result.Ending.self)
        let printed: ChildOutput
        switch output {
        case .all(let most):
            printed = ChildOutput(pipes.output, atMost: most) { end.yield(.printedTooMuch) }
        case .last(let count): printed = ChildOutput(pipes.output, last: count)
        }
        let complaint = ChildOutput(pipes.errors, last: Self.complaintLimit)
        // Threads of their own: each may wait as long as the command likes.
        DetachedThread.start { [input] in
            // Who does not read it need not.
            try? pipes.input.append(Array(input))
            try? pipes.input.close()
        }
        DetachedThread.start { [output] in
            // Reaped meanwhile, as it was killed: nobody asks any more.
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

    /// Reaps the process. Its id stays taken until then, so that no other process is killed.
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
                words: words, environment: .only(environment), folder: folder,
                input: input.read.descriptor,
                output: output.write.descriptor,
                errors: errors.write.descriptor, isolation: .group)
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

/// One output of a command, as far as it is kept. All of it is read, so that the command never waits.
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

    /// - Parameter tooMuch: Called once if there is more.
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
