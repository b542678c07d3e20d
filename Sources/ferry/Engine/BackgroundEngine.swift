import FerryTransfer
import FerryUploads
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A `ferry run` of its own, without a terminal: what it uploads goes on when whoever started it has gone.
struct BackgroundEngine {
    let state: LocalPath
    /// Of the `ferry run`.
    let arguments: [String]

    init(_ global: GlobalOptions, more: [String] = []) {
        state = global.stateFolder
        arguments = ["run"] + global.arguments + more
    }

    /// Starting takes so long only where a large queue lies on a slow disk.
    private static let patience = Duration.seconds(120)

    /// What it says on standard error: why it did not start, or why it died.
    private var log: String { state.text + "/engine.log" }

    enum Start: Equatable {
        /// It has the queue and answers.
        case running(pid_t)
        /// It ended at once; `text` is what it said.
        case failed(status: Int32, text: String)
    }

    /// Starts it and returns when it answers, or has ended.
    ///
    /// - Throws: `CommandFailure` if it cannot be started, or does neither.
    func start() async throws(CommandFailure) -> Start {
        let process = try spawn()
        let limit = ContinuousClock.now.advanced(by: Self.patience)
        while .now < limit {
            if let status = Self.ending(of: process) { return .failed(status: status, text: said) }
            // Its socket is there before it has read the queue; it answers when it has.
            if case .answered(.report(let report)) = ControlClient(folder: state).ask(.report),
                report.process == process
            {
                // A screen may outlive it, and has to hear that it ended.
                Thread.detachNewThread { _ = waitpid(process, nil, 0) }
                return .running(process)
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(
            status: CommandFailure.queueInUse, summary: "the engine (process \(process)) does not answer",
            hint: "\(log) may say why")
    }

    /// Starts it, or finds that somebody else just has, and says so.
    ///
    /// - Throws: `CommandFailure` with what it said if it ended at once.
    func startInPlace() async throws(CommandFailure) -> String {
        switch try await start() {
        case .running(let process):
            return
                "The uploads go on in the background (process \(process)); `ferry` shows them, `ferry stop` ends them."
        case .failed(CommandFailure.queueInUse, _) where ControlClient(folder: state).isAnswered:
            return "Another ferry has the queue already; `ferry` shows it."
        case .failed(let status, let text):
            throw Self.failure(status, text)
        }
    }

    /// What it said, as if it had been said here.
    private static func failure(_ status: Int32, _ text: String) -> CommandFailure {
        func rest(after start: String) -> String? {
            text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(start) }.map {
                String($0.dropFirst(start.count))
            }
        }
        let summary = rest(after: "error: ") ?? "the engine ended at once, with status \(status)"
        return CommandFailure(status: status, summary: summary, hint: rest(after: "hint: "))
    }

    private var said: String {
        String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
    }

    private func spawn() throws(CommandFailure) -> pid_t {
        // The folder may not be there yet: making it is the engine's work, but its log is to be in it.
        do throws(JournalError) { _ = try StateDirectory(at: state) } catch { throw CommandFailure(error) }
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for stream in [STDIN_FILENO, STDOUT_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        posix_spawn_file_actions_addopen(
            &actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0o600)
        // A session of its own has no terminal, and no shell that tells it to end.
        let flags = Self.ownSession | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        var words = ([CommandLine.arguments.first ?? "ferry"] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        let withoutBacktrace = strdup("SWIFT_BACKTRACE=enable=no")
        defer { free(withoutBacktrace) }
        var variables = Self.environment(adding: withoutBacktrace)
        var process = pid_t(0)
        let error = posix_spawn(&process, Self.program, &actions, &attributes, &words, &variables)
        guard error == 0 else {
            throw CommandFailure(
                status: 1, summary: "no engine could be started: \(String(cString: strerror(error)))")
        }
        return process
    }

    /// The engine's environment: ours, with `setting` unless the user has set SWIFT_BACKTRACE.
    ///
    /// A backtrace of Swift shows registers and the memory that they point to. That may be a credential, and the log is a
    /// file that people send to others.
    private static func environment(
        adding setting: UnsafeMutablePointer<CChar>?
    ) -> [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            variables.append(variable)
            next += 1
        }
        return variables + (getenv("SWIFT_BACKTRACE") == nil ? [setting] : []) + [nil]
    }

    #if os(Linux)
        /// POSIX_SPAWN_SETSID, which glibc and musl hide behind _GNU_SOURCE (spawn.h).
        private static let ownSession: Int32 = 0x80
    #else
        private static let ownSession = Int32(POSIX_SPAWN_SETSID)
    #endif

    /// What runs here, even if another version lies in its place by now.
    private static var program: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            Bundle.main.executablePath ?? CommandLine.arguments[0]
        #endif
    }

    /// The exit status as shells have it; nil while it runs.
    private static func ending(of process: pid_t) -> Int32? {
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
