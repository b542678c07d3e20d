import FerryUploads

/// Ends the engine that owns a queue, even if the engine is another version of Ferry.
struct EngineStop {
    let folder: LocalPath

    /// The time for which `stop` waits: the engine deletes data of removed uploads at servers and writes a snapshot.
    var timeout = Duration.seconds(60)

    static func sentence(_ process: Int32?) -> String {
        process.map { "stopped (process \($0)); `ferry` resumes the unfinished uploads" }
            ?? "no engine is running"
    }

    /// Ends the engine, and waits until it has released the queue. Returns its process; nil if no engine listens.
    ///
    /// - Throws: `CommandFailure` if the engine cannot be signalled, or does not release the queue within `timeout`.
    func stop() async throws(CommandFailure) -> Int32? {
        guard let connection = ControlClient(folder: folder).connect() else { return nil }
        guard let process = connection.process, Machine.end(process) else {
            throw CommandFailure(inUse: "the running engine cannot be stopped", hint: "end it with `kill`")
        }
        try await waitForRelease(by: process)
        return process
    }

    /// Waits until a process has ended or has released the queue. Throws `CommandFailure` after `timeout`.
    func waitForRelease(by process: Int32) async throws(CommandFailure) {
        let limit = ContinuousClock.now.advanced(by: timeout)
        while .now < limit {
            // A process that its parent has not reaped still counts as running, but it has released the queue.
            let directory = try? StateDirectory(reading: folder)
            if !Machine.runs(process) || directory?.isHeld(by: process) == false { return }
            try? await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure(
            inUse: "process \(process) did not stop",
            hint: "`kill -9 \(process)` ends it; nothing acknowledged is lost by that")
    }
}
