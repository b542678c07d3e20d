import ArgumentParser
import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until uploads have ended.",
        discussion: """
            Ended are those that are done, failed, held, paused by somebody or removed, and those that are to start after \
            such a one that is not done. Exit status: 0 if all are done, 1 if not, 3 if no ferry runs that could end them, \
            124 after --timeout.
            """)

    /// As timeout(1) has it.
    private static let timedOut: Int32 = 124

    @OptionGroup var global: GlobalOptions
    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object for each upload, as it ends.") var json = false
    @Option(help: ArgumentHelp("Wait at most so long: \(SecondsOrSpan.forms).", valueName: "time"))
    var timeout: SecondsOrSpan?

    func run() async throws {
        let following = Task { () -> Result<Bool, CommandFailure> in
            do throws(CommandFailure) { return .success(try await follow()) } catch { return .failure(error) }
        }
        let limit = Task {
            guard let timeout, (try? await Task.sleep(for: .seconds(timeout.seconds))) != nil else { return }
            following.cancel()
        }
        defer { limit.cancel() }
        guard try await following.value.get() else { throw ExitCode(1) }
    }

    /// - Returns: True if all are done.
    private func follow() async throws(CommandFailure) -> Bool {
        guard ControlClient(folder: global.stateFolder).isAnswered else { return try await look() }
        var wait = UploadWait(chosen.selection, past: past, pastBatch: pastBatch)
        for await update in await RemoteQueue(folder: global.stateFolder).updates() {
            if case .lost = update.status.contact { throw gone("the engine has gone") }
            for end in try wait.take(update) { report(end) }
            if wait.isOver { return wait.areAllDone }
        }
        throw CommandFailure(status: Self.timedOut, summary: "not all of them have ended yet")
    }

    /// Without an engine nothing changes: it is now or never.
    private func look() async throws(CommandFailure) -> Bool {
        guard case .uploads(let uploads) = try await global.access().perform(.list) else { return false }
        var wait = UploadWait(chosen.selection, past: past, pastBatch: pastBatch)
        let update = QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus())
        for end in try wait.take(update) { report(end) }
        guard wait.isOver else { throw gone("no ferry is running") }
        return wait.areAllDone
    }

    /// The upload as the history has it, if it is done.
    private func past(_ id: Upload.ID) -> Upload? {
        guard let directory = try? StateDirectory(reading: global.stateFolder),
            let entries = try? UploadHistory.read(in: directory)
        else { return nil }
        return entries.first { $0.upload.id == id && $0.outcome == .done }?.upload
    }

    /// Whether all of a batch was done that is in the history alone; nil if it is not there either.
    private func pastBatch(_ name: String) -> Bool? {
        guard let directory = try? StateDirectory(reading: global.stateFolder),
            let entries = try? UploadHistory.read(in: directory)
        else { return nil }
        let batch = entries.filter { $0.upload.batch == name }
        return batch.isEmpty ? nil : batch.allSatisfy { $0.outcome == .done }
    }

    private func gone(_ what: String) -> CommandFailure {
        CommandFailure(
            status: CommandFailure.nothingRuns, summary: "\(what): what is not finished will not be",
            hint: "`ferry run --detach` starts one")
    }

    private func report(_ end: UploadWait.End) {
        switch end {
        case .ended(let upload):
            print(json ? UploadRecordLine(event: "state", upload).text : UploadText.line(upload))
        case .blocked(let blocked):
            print(json ? UploadRecordLine(blocked).text : UploadText.line(blocked))
        case .removed(let upload):
            print(
                json
                    ? UploadRecordLine(event: "removed", upload).text
                    : "\(upload.id)  removed  \(UploadText.name(upload))")
        }
    }
}
