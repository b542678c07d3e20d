import ArgumentParser
import FerryProtocols
import FerryUploads

struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait for uploads to finish.",
        discussion: """
            Finished uploads are done, failed, held, paused by a user or removed. So are uploads that should start after \
            one that finished without being done. Exit status: 0 if all are done, 1 if not, 3 if some are unfinished and \
            no engine runs, 124 after --timeout.

              ferry wait --all && rm -r ~/out/day3
              ferry wait 3-7 --timeout 1h
            """)

    /// The exit status after `--timeout`, as of timeout(1).
    private static let timedOut: Int32 = 124

    @OptionGroup var chosen: SelectionOptions
    @Option(help: ArgumentHelp("Wait at most this long: \(DurationArgument.forms).", valueName: "time"))
    var timeout: DurationArgument?
    @Flag(help: "ASCII signs only.") var ascii = false
    @Flag(
        help: ArgumentHelp(
            "One JSON object for each upload, as it finishes.",
            discussion:
                "Uploads that were done before and are still in the queue are included, except with --all."))
    var json = false
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let following = Task { try await follow() }
        let limit = Task {
            guard let timeout, (try? await Task.sleep(for: .seconds(timeout.seconds))) != nil else { return }
            following.cancel()
        }
        defer { limit.cancel() }
        // After the first signal, the command erases its progress display before it exits.
        let signals =
            !json && LiveDisplay.isPossible
            ? SignalStream([Signal.interrupt, Signal.terminate, Signal.hangUp]) : nil
        let hearing = Task { () -> Int32? in
            guard let signals else { return nil }
            var first: Int32?
            for await signal in signals.values {
                // A user who presses Ctrl-C twice does not want to wait.
                if first != nil { Signal.exitNow(by: signal) }
                first = signal
                following.cancel()
            }
            return first
        }
        let result = await following.result
        hearing.cancel()
        if let signal = await hearing.value { throw ExitCode(128 + signal) }
        guard try result.get() else { throw ExitCode(1) }
    }

    /// Waits for the chosen uploads, prints each when it ends, and returns true if all are done.
    private func follow() async throws(CommandFailure) -> Bool {
        let client = ControlClient(folder: global.stateFolder)
        guard client.hasListener else { return try await look() }
        try client.checkPulse()
        let queue = RemoteQueue(folder: global.stateFolder)
        let output = LineOutput()
        let live = json ? nil : LiveDisplay(on: output, isASCII: ascii) { queue.progress() }
        let drawing = Task { await live?.run() }
        let result = await Result.awaiting { () async throws(CommandFailure) in
            try await follow(queue, client, output, live)
        }
        drawing.cancel()
        await drawing.value
        await output.flush()
        return try result.get()
    }

    private func follow(
        _ queue: RemoteQueue, _ client: ControlClient, _ output: LineOutput, _ live: LiveDisplay?
    ) async throws(CommandFailure) -> Bool {
        var wait = UploadWait(chosen.selection, past: past, pastBatch: pastBatch)
        for await update in await queue.updates() {
            switch update.status.contact {
            case .lost: throw gone("the engine has gone")
            case .refused(let failure): throw CommandFailure(refused: failure)
            case .silent: StandardError.note(client.silence.summary)
            case .here: break
            }
            live?.take(only(update))
            for end in try wait.take(update) { print(end, to: output, isLive: live != nil) }
            if wait.isOver { return wait.areAllDone }
        }
        throw CommandFailure(status: Self.timedOut, summary: "timeout: some uploads are not finished")
    }

    /// Returns a copy of `update` with changes only of uploads that the user chose.
    private func only(_ update: QueueUpdate) -> QueueUpdate {
        var update = update
        switch chosen.selection {
        case .ids(let ids): update.changed.removeAll { !ids.contains($0.id) }
        case .numbers(let numbers):
            update.changed.removeAll { upload in !numbers.ranges.contains { $0.contains(upload.id) } }
        case .batch(let name): update.changed.removeAll { $0.batch != name }
        case .all, .failed, .done: break
        }
        return update
    }

    /// Reads the queue once, because no upload changes without an engine. Returns true if all chosen uploads are done.
    private func look() async throws(CommandFailure) -> Bool {
        guard case .uploads(let uploads) = try await global.access().perform(.list) else { return false }
        var wait = UploadWait(chosen.selection, past: past, pastBatch: pastBatch)
        let update = QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus())
        let output = LineOutput()
        for end in try wait.take(update) { print(end, to: output, isLive: false) }
        await output.flush()
        guard wait.isOver else { throw gone("no engine is running") }
        return wait.areAllDone
    }

    private func past(_ ids: [Upload.ID]) -> [Upload.ID: Upload] {
        let wanted = Set(ids)
        let entries = history.lazy.filter { $0.outcome == .done && wanted.contains($0.upload.id) }
        return Dictionary(entries.map { ($0.upload.id, $0.upload) }) { first, _ in first }
    }

    private func pastBatch(_ name: String) -> Bool? {
        let batch = history.filter { $0.upload.batch == name }
        return batch.isEmpty ? nil : batch.allSatisfy { $0.outcome == .done }
    }

    private var history: [HistoryEntry] { (try? UploadHistory.read(inFolder: global.stateFolder)) ?? [] }

    private func gone(_ what: String) -> CommandFailure {
        CommandFailure(
            status: CommandFailure.nothingRuns, summary: "\(what): unfinished uploads cannot finish",
            hint: "`ferry run --detach` starts one")
    }

    private func print(_ end: UploadWait.End, to output: LineOutput, isLive: Bool) {
        let (line, text) =
            switch end {
            case .ended(let upload):
                (UploadRecordLine(event: "state", upload), UploadText.line(upload, isBrief: isLive))
            case .blocked(let blocked): (UploadRecordLine(blocked), UploadText.line(blocked))
            case .removed(let upload):
                (UploadRecordLine(event: "removed", upload), UploadText.removed(upload))
            }
        json ? output.write(line.json) : output.write(text, stampedWithDay: !isLive)
    }
}
