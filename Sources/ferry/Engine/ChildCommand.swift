import CFerryChild
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that runs on behalf of Ferry: no shell, a process group of its own, an environment of its own, and limits
/// on its time and on what is kept of what it prints.
struct ChildCommand: Sendable {
    /// The program, looked for in `PATH` unless it has a slash, and its arguments.
    var words: [String]
    /// All of it.
    var environment: [String: String]
    /// Where it begins; nil for where this process is.
    var folder: String?
    /// What it may read.
    var input = Data()
    var output = Output.last(4096)

    /// What becomes of its standard output. Of standard error the last bytes are kept, which say most.
    enum Output: Sendable {
        /// It is over when nobody can write to it any more; more than so many bytes end the command.
        case all(atMost: Int)
        /// The last bytes that were there when the command itself had ended.
        case last(Int)
    }

    struct Result: Equatable, Sendable {
        enum Ending: Equatable, Sendable {
            case exited(Int32)
            case killed(by: Int32)
            /// Killed with all that it started.
            case timedOut, printedTooMuch
            /// The same, as nobody waits for it any more.
            case cancelled
        }

        var ending: Ending
        var output: Data
        var complaint: Data

        /// The last line of what was printed, where programs say why they gave up; empty if there is none.
        static func lastLine(of printed: Data) -> String {
            String(decoding: printed, as: UTF8.self).split(whereSeparator: \.isNewline)
                .map { $0.trimmingCharacters(in: .whitespaces) }.last { !$0.isEmpty } ?? ""
        }
    }

    struct CannotStart: Error {
        /// Completes "cannot be started: …".
        var reason: String
    }

    private static let complaintLimit = 4096
    /// What a command leaves running may keep its output open for ever.
    private static let patience = DispatchTimeInterval.milliseconds(500)

    /// Those variables of this process's environment that are named; of a name that ends in `*` all that begin so.
    static func environment(_ names: [String]) -> [String: String] {
        ProcessInfo.processInfo.environment.filter { variable, _ in
            names.contains { $0 == variable || $0.hasSuffix("*") && variable.hasPrefix($0.dropLast()) }
        }
    }

    /// Returns when the command has ended, or after `limit` of it.
    func run(upTo limit: Duration) async throws(CannotStart) -> Result {
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
        Thread.detachNewThread { [input] in
            // Who does not read it need not.
            try? pipes.input.write(contentsOf: input)
            try? pipes.input.close()
        }
        Thread.detachNewThread { [output] in
            let ending = Self.ending(of: process)
            if case .all = output { printed.wait() } else { printed.wait(upTo: Self.patience) }
            complaint.wait(upTo: Self.patience)
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

    /// Until here the id stays taken, so that nobody else is killed.
    private static func bury(_ process: pid_t, _ ending: Result.Ending) {
        switch ending {
        case .exited, .killed: break
        case .timedOut, .printedTooMuch, .cancelled: kill(-process, SIGKILL)
        }
        Thread.detachNewThread {
            while waitpid(process, nil, 0) < 0, errno == EINTR {}
        }
    }

    /// Waits for it and leaves it to be reaped.
    private static func ending(of process: pid_t) -> Result.Ending {
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0 {
            // Reaped meanwhile, as it was killed: nobody asks any more.
            guard errno == EINTR else { return .cancelled }
        }
        #if canImport(Darwin)
            let status = information.si_status
        #else
            let status = information._sifields._sigchld.si_status
        #endif
        return information.si_code == CLD_EXITED ? .exited(status) : .killed(by: status)
    }

    private struct Pipes: Sendable {
        var input: FileHandle
        var output: FileHandle
        var errors: FileHandle
    }

    private func start() throws(CannotStart) -> (pid_t, Pipes) {
        guard !words.isEmpty else { throw CannotStart(reason: "no program is named") }
        let (input, output, errors) = (try Self.makePipe(), try Self.makePipe(), try Self.makePipe())
        let variables = environment.map { "\($0.key)=\($0.value)" }
        let (first, second) = (words.map { strdup($0) } + [nil], variables.map { strdup($0) } + [nil])
        defer { for text in first + second { free(text) } }
        var process = pid_t(0)
        let failure = child_start(
            first, second, folder, input.read.fileDescriptor, output.write.fileDescriptor,
            errors.write.fileDescriptor, &process)
        for ours in [input.read, output.write, errors.write] { try? ours.close() }
        guard failure == 0 else { throw CannotStart(reason: String(cString: strerror(failure))) }
        return (process, Pipes(input: input.write, output: output.read, errors: errors.read))
    }

    private static func makePipe() throws(CannotStart) -> (read: FileHandle, write: FileHandle) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw CannotStart(reason: String(cString: strerror(errno))) }
        defer { for end in ends { close(end) } }
        // Beyond those that become the standard ones of the command.
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        let handles = moved.map { FileHandle(fileDescriptor: $0, closeOnDealloc: $0 >= 0) }
        guard !moved.contains(-1) else { throw CannotStart(reason: String(cString: strerror(errno))) }
        return (handles[0], handles[1])
    }
}

/// What a command prints to one of its outputs, as far as it is kept. All of it is read, so that the command never waits.
private final class ChildOutput: Sendable {
    private let text = Mutex(Data())
    private let ended = DispatchSemaphore(value: 0)

    var bytes: Data { text.withLock { $0 } }

    init(_ handle: FileHandle, last count: Int) {
        read(handle) { text, piece in
            text = Data((text + piece).suffix(count))
            return true
        }
    }

    /// - Parameter tooMuch: Called once if there is more.
    init(_ handle: FileHandle, atMost limit: Int, tooMuch: @escaping @Sendable () -> Void) {
        read(handle) { text, piece in
            text += piece
            guard text.count > limit else { return true }
            tooMuch()
            return false
        }
    }

    private func read(_ handle: FileHandle, keep: @escaping @Sendable (inout Data, Data) -> Bool) {
        Thread.detachNewThread { [self] in
            // An empty piece is the end.
            while case let piece = handle.availableData, !piece.isEmpty {
                guard text.withLock({ keep(&$0, piece) }) else { break }
            }
            ended.signal()
        }
    }

    func wait() { ended.wait() }

    func wait(upTo patience: DispatchTimeInterval) { _ = ended.wait(timeout: .now() + patience) }
}
