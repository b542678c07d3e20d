import FerryUploads

/// An engine that this process starts in another process, without a terminal, and that outlives it.
struct BackgroundEngine {
    let state: LocalPath
    let arguments: [String]

    init(_ global: GlobalOptions, more: [String] = []) {
        state = global.stateFolder
        arguments = ["run"] + global.arguments + more
    }

    /// The time to wait for the engine. Only one with a large queue on a slow disk takes that long.
    private static let timeout = Duration.seconds(120)

    /// The path of the file that receives the engine's standard error, such as the reason for a failed start.
    private var log: String { Self.log(in: state).text }

    private static func log(in folder: LocalPath) -> LocalPath { folder.appending(Array("engine.log".utf8)) }

    /// Limits the size of `engine.log` if this process is an engine that writes its messages there.
    static func limitLog(in folder: LocalPath) { StandardStream.limitErrors(at: log(in: folder)) }

    /// Starts the engine, waits until it responds or ends, and returns a message for the user.
    ///
    /// - Throws: `CommandFailure` with the engine's own error if it ended, or if it did nothing within `timeout`.
    func startAndReport() async throws(CommandFailure) -> String {
        let process = try spawn()
        let limit = ContinuousClock.now.advanced(by: Self.timeout)
        while .now < limit {
            if let ending = process.reapIfEnded() {
                guard ending.status == CommandFailure.queueInUse, ControlClient(folder: state).hasListener
                else { throw failure(ending.status) }
                return "another engine has the queue already; `ferry` shows it"
            }
            // The engine creates its socket before it reads the queue, and responds only after it has read the queue.
            if case .responded(.report(let report)) = ControlClient(folder: state).ask(.report),
                report.process == process.id
            {
                // This process may run longer than the engine, for example as a screen.
                DetachedThread.start { process.reap() }
                return
                    "the uploads continue in the background (process \(process.id)); `ferry` shows them, `ferry stop` ends them"
            }
            try? await Task.sleep(for: .milliseconds(10))
        }
        throw CommandFailure(
            inUse: "the engine (process \(process.id)) does not answer", hint: "\(log) may say why")
    }

    /// Returns the failure after the engine has ended during its start, with the error and the hint in its log.
    private func failure(_ status: Int32) -> CommandFailure {
        let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
        func rest(after start: String) -> String? {
            text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(start) }.map {
                String($0.dropFirst(start.count))
            }
        }
        let summary = rest(after: "error: ") ?? "the engine ended at once, with status \(status)"
        return CommandFailure(status: status, summary: summary, hint: rest(after: "hint: "))
    }

    private func spawn() throws(CommandFailure) -> ChildProcess {
        // The folder may be missing. It must exist before the engine starts, because the log is in it.
        do throws(JournalError) { _ = try StateDirectory(at: state) } catch { throw CommandFailure(error) }
        do throws(SystemCallError) {
            let nothing = try OpenFile(LocalPath("/dev/null"), for: .appending)
            let log = try OpenFile(LocalPath(log), for: .emptying)
            // Swift's backtrace prints memory, which may contain a credential, and users send the log to other people.
            return try ChildProcess(
                Self.program, words: [CommandLine.arguments.first ?? "ferry"] + arguments,
                environment: .inherited(adding: ["SWIFT_BACKTRACE": "enable=no"]),
                input: nothing.descriptor, output: nothing.descriptor, errors: log.descriptor,
                isolation: .session)
        } catch {
            throw CommandFailure(status: 1, summary: "no engine could be started: \(error.reason)")
        }
    }

    /// The path of this process's executable. On Linux, it also works after an update has replaced the file.
    private static var program: String {
        #if os(Linux)
            "/proc/self/exe"
        #else
            Machine.program ?? CommandLine.arguments[0]
        #endif
    }
}
