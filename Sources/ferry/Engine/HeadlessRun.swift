import ArgumentParser
import FerryUploads

/// Runs an engine without a screen, and prints lines about its uploads.
struct HeadlessRun {
    let engine: Engine
    let isJSON: Bool
    /// True to end as soon as no upload runs or will start without a user's action.
    let endsWhenIdle: Bool
    /// True if the live progress lines on a terminal contain only ASCII.
    var isASCII = false

    /// Runs until a signal arrives or the run ends by itself, and stops the engine. A second signal ends the process.
    ///
    /// - Throws: `ExitCode` after a signal, or if an upload failed, is held or is blocked. `CommandFailure` if the
    ///   queue could not save how uploads ended.
    func run(until signals: SignalStream) async throws {
        let report = RunReport(
            queue: engine.queue, isJSON: isJSON, isASCII: isASCII,
            failedBefore: await engine.queue.failedBefore)
        for notice in engine.notices { report.note(notice) }
        let following = Task { await report.follow() }
        let hearing = Task { for await notice in engine.news { report.note(notice) } }
        let ending = Task { () -> Int32? in
            for await signal in signals.values { return signal }
            return nil
        }
        let idle = Task {
            // Another process may ask the queue to finish (`ferry stop --when-idle`).
            endsWhenIdle ? await engine.waitUntilIdle() : await engine.waitUntilFinished()
            ending.cancel()
        }
        let releasing = Task { await releaseMemoryWhenIdle() }
        let signal = await ending.value
        idle.cancel()
        releasing.cancel()
        // A user who presses Ctrl-C twice does not want to wait.
        let secondSignal = Task {
            for await second in signals.values { Signal.exitNow(by: second) }
        }
        defer { secondSignal.cancel() }
        let doneBefore = await engine.queue.doneBefore
        let (uploads, retired) = await engine.queue.snapshotWithRetired
        await engine.stop()
        await following.value
        await hearing.value
        let unsaved = await engine.unsaved
        if let signal {
            await report.flush()
            unsaved?.print()
            throw ExitCode(128 + signal)
        }
        let isComplete = report.finish(uploads, doneBefore: doneBefore, retired)
        await report.flush()
        if let unsaved { throw unsaved }
        if !isComplete { throw ExitCode(1) }
    }

    /// Gives back unused memory: soon after the start, and in each minute in which no upload runs. Of 20 MB,
    /// 15 are pages of code that only the start used. A change of a million uploads leaves hundreds of MB free.
    private func releaseMemoryWhenIdle() async {
        var pause = Duration.seconds(3)
        while (try? await Task.sleep(for: pause)) != nil {
            await engine.queue.waitUntilIdle()
            Machine.releaseMemory()
            pause = .seconds(60)
        }
    }
}
