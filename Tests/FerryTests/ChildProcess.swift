import Foundation
import Support
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A program that a test runs. Its arguments are bytes, its output is collected while it runs, and it does not outlive
/// the last reference.
final class ChildProcess: Sendable {
    enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(Int32)
    }

    struct CannotStart: Error {
        var program: String
        var reason: String
    }

    private enum State {
        case running
        case ended(Ending)
    }

    let output: OutputLog
    let errors: OutputLog
    let id: pid_t
    private let life: Life

    /// What the thread that waits for the program shares with its owner.
    private final class Life: Sendable {
        let state = Mutex(State.running)
        let ended = Gate()
    }

    /// - Parameter arguments: Without the program itself.
    init(_ program: String, _ arguments: [[UInt8]], environment: [String: String]) throws {
        let words = [Array(program.utf8)] + arguments
        let variables = environment.map { Array("\($0.key)=\($0.value)".utf8) }
        let (output, errors) = (try Pipe.make(), try Pipe.make())
        defer {
            close(output.write)
            close(errors.write)
        }
        let id = try Self.spawn(program, words, variables, output.write, errors.write)
        self.id = id
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

    /// Does nothing once the program has ended.
    func signal(_ number: Int32) {
        life.state.withLock { state in
            if case .running = state { kill(id, number) }
        }
    }

    /// Stops the program (SIGSTOP), and returns when none of its threads runs any more.
    func standStill() {
        signal(SIGSTOP)
        for _ in 0..<10_000 {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
            let states = threads.map { thread -> Substring in
                let stat = try? String(contentsOfFile: "/proc/\(id)/task/\(thread)/stat", encoding: .utf8)
                // The name before the state may hold anything.
                return stat?.split(separator: ")").last?.split(separator: " ").first ?? "?"
            }
            if !states.isEmpty, states.allSatisfy({ $0 == "T" }) { return }
            usleep(1000)
        }
    }

    /// Whether `standStill` can tell.
    static let showsThreads = FileManager.default.fileExists(atPath: "/proc/self/task")

    /// How the program ended, once all it printed has been read.
    /// - Throws: `Gate.TimedOut` after `limit` of real time; the program is killed then.
    @discardableResult
    func ending(upTo limit: Duration = .seconds(60)) async throws -> Ending {
        do { try await life.ended.wait(upTo: limit) } catch {
            signal(SIGKILL)
            throw error
        }
        return life.state.withLock { state in
            if case .ended(let ending) = state { ending } else { .killed(0) }
        }
    }

    /// Runs a command of the system and says whether it succeeded.
    static func succeeds(_ words: String...) async -> Bool {
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let bytes = words.map { Array($0.utf8) }
        guard let process = try? ChildProcess("/usr/bin/env", bytes, environment: environment) else {
            return false
        }
        return (try? await process.ending(upTo: .seconds(120))) == .exited(0)
    }

    private enum Pipe {
        static func make() throws -> (read: Int32, write: Int32) {
            var ends: [Int32] = [0, 0]
            guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
            return (ends[0], ends[1])
        }
    }

    private static func spawn(
        _ program: String, _ words: [[UInt8]], _ variables: [[UInt8]], _ output: Int32, _ errors: Int32
    ) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        // The HTTP library's sockets are open across exec: a program that held a copy would keep connections alive.
        #if canImport(Darwin)
            let closing = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #else
            for descriptor in 3..<descriptorLimit { posix_spawn_file_actions_addclose(&actions, descriptor) }
            let closing: Int16 = 0
        #endif
        // Whatever the process that runs the tests ignores or blocks, the program begins as from a shell.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | closing)
        let arguments = words.map(copy)
        let environment = variables.map(copy)
        defer { for pointer in arguments + environment { free(pointer) } }
        var id: pid_t = 0
        let result = posix_spawn(&id, program, &actions, &attributes, arguments + [nil], environment + [nil])
        guard result == 0 else {
            throw CannotStart(program: program, reason: String(cString: strerror(result)))
        }
        return id
    }

    /// Beyond every descriptor that is open, and those that other threads may open in the meantime.
    private static var descriptorLimit: Int32 {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        return (names.compactMap { Int32($0) }.max() ?? 256) + 64
    }

    private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
        (bytes + [0]).withUnsafeBytes { raw in
            raw.baseAddress.flatMap { strdup($0.assumingMemoryBound(to: CChar.self)) }
        }
    }

    private static func wait(for id: pid_t, _ life: Life) -> Ending {
        var information = siginfo_t()
        // The id stays taken until it is asked for below, so that a signal meanwhile cannot meet a stranger.
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
