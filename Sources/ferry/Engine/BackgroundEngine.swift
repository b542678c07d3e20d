import FerryFiles
import FerryTransfer
import FerryUploads

/// A separate `ferry run` without a terminal: its uploads continue after its parent has ended.
struct BackgroundEngine {
    let state: LocalPath
    /// The arguments of `ferry run`.
    let arguments: [String]

    init(_ global: GlobalOptions, more: [String] = []) {
        state = global.stateFolder
        arguments = ["run"] + global.arguments + more
    }

    /// The longest start. Only a large queue on a slow disk takes that long.
    private static let timeout = Duration.seconds(120)

    /// The file of its standard error: the reason for a failed start or a crash.
    private var log: String { state.text + "/engine.log" }

    enum Start: Equatable {
        /// The engine owns the queue and responds.
        case running(Int32)
        /// The engine ended at once; `text` is its standard error.
        case failed(status: Int32, text: String)
    }

    /// Starts the engine and returns when it responds, or has ended.
    ///
    /// - Throws: `CommandFailure` if it cannot be started, or neither responds nor ends in time.
    func start() async throws(CommandFailure) -> Start {
        let process = try spawn()
        let limit = ContinuousClock.now.advanced(by: Self.timeout)
        while .now < limit {
            if let ending = process.reapIfEnded() { return .failed(status: ending.status, text: said) }
            // Its socket exists before it has read the queue; afterwards it responds.
            if case .answered(.report(let report)) = ControlClient(folder: state).ask(.report),
                report.process == process.id
            {
                // A screen may outlive the engine and must notice its end.
                DetachedThread.start { process.reap() }
                return .running(process.id)
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(
            inUse: "the engine (process \(process.id)) does not answer", hint: "\(log) may say why")
    }

    /// Starts the engine, or reports that another process has just started one.
    ///
    /// - Throws: `CommandFailure` with its standard error if it ended at once.
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
        // The folder may be missing. The engine creates it, but its log must be in it.
        do throws(JournalError) { _ = try StateDirectory(at: state) } catch { throw CommandFailure(error) }
        do throws(SystemCallError) {
            let nothing = try OpenFile(LocalPath("/dev/null"), for: .appending)
            let log = try OpenFile(LocalPath(log), for: .emptying)
            // A backtrace of Swift shows registers and the memory that they point to. That may be a credential, and
            // users send the log to others.
            return try ChildProcess(
                Self.program, words: [CommandLine.arguments.first ?? "ferry"] + arguments,
                environment: .inherited(adding: ["SWIFT_BACKTRACE": "enable=no"]),
                input: nothing.descriptor, output: nothing.descriptor, errors: log.descriptor,
                isolation: .session)
        } catch {
            throw CommandFailure(status: 1, summary: "no engine could be started: \(error.reason)")
        }
    }

    /// The path of the running program, even if another version has replaced its file.
    private static var program: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            Machine.program ?? CommandLine.arguments[0]
        #endif
    }
}
