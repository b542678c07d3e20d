import ArgumentParser
import Foundation
import Transfer
import Uploads

/// An engine that runs without anybody at it, told of line by line, until it is interrupted or nothing is left to do.
struct UnattendedRun {
    let engine: Engine
    let isJSON: Bool
    let endsWhenIdle: Bool

    /// Stops the engine at the end.
    ///
    /// - Parameter signals: The first one ends it in peace, a second one at once.
    /// - Throws: `ExitCode` for a signal or if something failed; `CommandFailure` if something could not be saved.
    func run(until signals: SignalStream) async throws {
        let report = RunReport(queue: engine.queue, isJSON: isJSON)
        for notice in engine.notices { report.note(notice) }
        let following = Task { await report.follow() }
        let ending = Task { () -> Int32? in
            for await signal in signals.values { return signal }
            return nil
        }
        let idle = Task {
            guard endsWhenIdle else { return }
            await engine.queue.waitUntilIdle()
            ending.cancel()
        }
        let signal = await ending.value
        idle.cancel()
        // Whoever asks twice does not want to wait for anything.
        let impatience = Task {
            for await second in signals.values { _exit(128 + second) }
        }
        defer { impatience.cancel() }
        let (uploads, retired) = await engine.queue.everything
        await engine.stop()
        await following.value
        let unsaved = await engine.unsaved
        if let signal {
            await report.flush()
            throw ExitCode(signal == SIGINT ? CommandFailure.interrupted : 128 + signal)
        }
        let isComplete = report.finish(uploads, retired)
        await report.flush()
        if let unsaved { throw unsaved }
        if !isComplete { throw ExitCode(1) }
    }
}

/// What becomes of the uploads when the terminal goes: a closed window, a lost ssh.
enum HangUpPolicy: String, CaseIterable {
    /// They go on the next time.
    case stop
    /// They go on without a screen.
    case `continue`
}

/// The file that takes what is said once there is no terminal to say it to.
struct HangUpLog {
    let path: String

    init(folder: LocalPath) { path = folder.text + "/hangup.log" }

    /// From now on it is standard output and error, and there is no input. If it cannot be opened, nothing is kept.
    func takeOver() {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        dup2(nothing, STDIN_FILENO)
        for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(file >= 0 ? file : nothing, stream) }
        for opened in [nothing, file] where opened > STDERR_FILENO { close(opened) }
    }
}
