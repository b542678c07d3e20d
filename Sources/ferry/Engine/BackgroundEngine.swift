import FerryFiles
import FerryTransfer
import FerryUploads

/// A `ferry run` of its own, without a terminal: what it uploads goes on when whoever started it has gone.
struct BackgroundEngine {
    let state: LocalPath
    /// The arguments of `ferry run`.
    let arguments: [String]

    init(_ global: GlobalOptions, more: [String] = []) {
        state = global.stateFolder
        arguments = ["run"] + global.arguments + more
    }

    /// Starting takes so long only where a large queue lies on a slow disk.
    private static let timeout = Duration.seconds(120)

    /// The file of its standard error: the reason why it did not start, or why it died.
    private var log: String { state.text + "/engine.log" }

    enum Start: Equatable {
        /// The engine has the queue and answers.
        case running(Int32)
        /// The engine ended at once; `text` is its standard error.
        case failed(status: Int32, text: String)
    }

    /// Starts it and returns when it answers, or has ended.
    ///
    /// - Throws: `CommandFailure` if it cannot be started, or does neither.
    func start() async throws(CommandFailure) -> Start {
        let process = try spawn()
        let limit = ContinuousClock.now.advanced(by: Self.timeout)
        while .now < limit {
            if let ending = process.reapIfEnded() { return .failed(status: ending.status, text: said) }
            // Its socket is there before it has read the queue; it answers when it has.
            if case .answered(.report(let report)) = ControlClient(folder: state).ask(.report),
                report.process == process.id
            {
                // A screen may outlive it, and has to hear that it ended.
                DetachedThread.start { process.reap() }
                return .running(process.id)
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(
            status: CommandFailure.queueInUse, summary: "the engine (process \(process.id)) does not answer",
            hint: "\(log) may say why")
    }

    /// Starts it, or finds that somebody else just has, and says so.
    ///
    /// - Throws: `CommandFailure` with what it said if it ended at once.
    func startInPlace() async throws(CommandFailure) -> String {
        switch try await start() {
        case .running(let process):
            return
                "The uploads continue in the background (process \(process)); `ferry` shows them, `ferry stop` ends them."
        case .failed(CommandFailure.queueInUse, _) where ControlClient(folder: state).isAnswered:
            return "Another engine has the queue already; `ferry` shows it."
        case .failed(let status, let text):
            throw Self.failure(status, text)
        }
    }

    /// Repeats the engine's error as this command's own.
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

    private func spawn() throws(CommandFailure) -> ChildProcess {
        // The folder may not be there yet: making it is the engine's work, but its log is to be in it.
        do throws(JournalError) { _ = try StateDirectory(at: state) } catch { throw CommandFailure(error) }
        do throws(SystemCallError) {
            let nothing = try OpenFile(LocalPath("/dev/null"), for: .appending)
            let log = try OpenFile(LocalPath(log), for: .emptying)
            // A backtrace of Swift shows registers and the memory that they point to. That may be a credential, and the
            // log is a file that people send to others.
            return try ChildProcess(
                Self.program, words: [CommandLine.arguments.first ?? "ferry"] + arguments,
                environment: .inherited(adding: ["SWIFT_BACKTRACE": "enable=no"]),
                input: nothing.descriptor, output: nothing.descriptor, errors: log.descriptor,
                isolation: .session)
        } catch {
            throw CommandFailure(status: 1, summary: "no engine could be started: \(error.reason)")
        }
    }

    /// The path of the running program, even if another version lies in its place by now.
    private static var program: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            Machine.program ?? CommandLine.arguments[0]
        #endif
    }
}
