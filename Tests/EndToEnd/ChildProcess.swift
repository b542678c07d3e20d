import FerryTestSupport
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A child process. Its arguments are bytes, and its output is collected while it runs. It is killed when the last
/// reference to it ends.
final class ChildProcess: Sendable {
    enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(Int32)
    }

    private enum State {
        case running
        case ended(Ending)
    }

    /// The program did not end in time.
    struct StillRunning: Error {
        var command: String
        var limit: Duration
        var output: String
        var errors: String
    }

    let output: OutputLog
    let errors: OutputLog
    let id: pid_t
    private let command: String
    private let life: Life

    /// The state that the waiting thread and the process's owner share.
    private final class Life: Sendable {
        let state = Mutex(State.running)
        let ended = Gate()
    }

    /// Starts a program.
    ///
    /// - Parameter arguments: The arguments, without the program itself.
    init(_ program: String, _ arguments: [[UInt8]], environment: [String: String]) throws {
        let words = [Array(program.utf8)] + arguments
        let variables = environment.map { Array("\($0.key)=\($0.value)".utf8) }
        let (output, errors) = (try Pipe.make(), try Pipe.make())
        defer {
            close(output.write)
            close(errors.write)
        }
        let id = try Spawn.program(
            words, variables: variables, output: output.write, errors: errors.write)
        self.id = id
        command = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
        let life = Life()
        self.life = life
        let (outputLog, errorLog) = (OutputLog(), OutputLog())
        (self.output, self.errors) = (outputLog, errorLog)
        let readers = DispatchGroup()
        for (descriptor, log) in [(output.read, outputLog), (errors.read, errorLog)] {
            readers.enter()
            Thread.detachNewThread {
                log.read(descriptor)
                readers.leave()
            }
        }
        Thread.detachNewThread {
            let ending = Self.wait(for: id, life)
            readers.wait()
            life.state.withLock { $0 = .ended(ending) }
            life.ended.open()
        }
    }

    deinit { signal(SIGKILL) }

    /// Sends a signal. It does nothing if the program has ended.
    func signal(_ number: Int32) {
        life.state.withLock { state in
            if case .running = state { kill(id, number) }
        }
    }

    /// Stops the program (SIGSTOP), and returns when all of its threads are stopped.
    func standStill() {
        signal(SIGSTOP)
        for _ in 0..<10_000 {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
            let states = threads.map { thread -> Substring in
                let stat = try? String(contentsOfFile: "/proc/\(id)/task/\(thread)/stat", encoding: .utf8)
                // The name of the program comes before the state and may contain any character.
                return stat?.split(separator: ")").last?.split(separator: " ").first ?? "?"
            }
            if !states.isEmpty, states.allSatisfy({ $0 == "T" }) { return }
            usleep(1000)
        }
    }

    /// True if this system lists a process's threads, which `standStill` needs.
    static let showsThreads = FileManager.default.fileExists(atPath: "/proc/self/task")

    /// Waits for the end of the program and of its output.
    /// - Throws: `StillRunning` after `limit` of real time. The program is killed then.
    @discardableResult
    func ending(upTo limit: Duration = Gate.limit) async throws -> Ending {
        do { try await life.ended.wait(upTo: limit) } catch {
            signal(SIGKILL)
            guard error is Gate.TimedOut else { throw error }
            throw StillRunning(
                command: command, limit: limit, output: String(output.text.suffix(2000)), errors: errors.text)
        }
        return life.state.withLock { state in
            if case .ended(let ending) = state { ending } else { .killed(0) }
        }
    }

    /// Runs a command, and returns true if it succeeds.
    static func succeeds(_ words: String...) async -> Bool { await succeeds(words) }

    static func succeeds(_ words: [String]) async -> Bool {
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let bytes = words.map { Array($0.utf8) }
        guard let process = try? ChildProcess("/usr/bin/env", bytes, environment: environment) else {
            return false
        }
        return (try? await process.ending()) == .exited(0)
    }

    private enum Pipe {
        static func make() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
            return (ends[0], ends[1])
        }
    }

    private static func wait(for id: pid_t, _ life: Life) -> Ending {
        var information = siginfo_t()
        // WNOWAIT keeps the id reserved until the process is reaped below. A signal at this time cannot reach another
        // process.
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return life.state.withLock { state in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            let ending = signal == 0 ? Ending.exited((status >> 8) & 0xFF) : .killed(signal)
            state = .ended(ending)
            return ending
        }
    }
}
