import ArgumentParser
import Foundation
import Transfer
import UploadProtocols
import Uploads

struct WaitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until uploads have ended.",
        discussion: """
            Ended are those that are done, failed, held, paused by somebody or removed. Exit status: 0 if all are done, 1 if \
            not, 3 if no ferry runs that could end them, 124 after --timeout.
            """)

    private static let nothingRuns: Int32 = 3
    /// As timeout(1) has it.
    private static let timedOut: Int32 = 124

    @OptionGroup var global: GlobalOptions
    @OptionGroup var chosen: SelectionOptions
    @Flag(help: "One JSON object for each upload, as it ends.") var json = false
    @Option(help: ArgumentHelp("Wait at most so long.", valueName: "seconds")) var timeout: Double?

    func validate() throws {
        guard timeout.map({ (0...1e9).contains($0) }) ?? true else {
            throw ValidationError("--timeout is a number of seconds, 0 or more.")
        }
    }

    func run() async throws {
        let following = Task { () -> Result<Bool, CommandFailure> in
            do throws(CommandFailure) { return .success(try await follow()) } catch { return .failure(error) }
        }
        let limit = Task {
            guard let timeout, (try? await Task.sleep(for: .seconds(timeout))) != nil else { return }
            following.cancel()
        }
        defer { limit.cancel() }
        guard try await following.value.get() else { throw ExitCode(1) }
    }

    /// - Returns: True if all are done.
    private func follow() async throws(CommandFailure) -> Bool {
        guard ControlClient(folder: global.stateFolder).isAnswered else { return try await look() }
        var wait = UploadWait(chosen.selection, past: past)
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
        var wait = UploadWait(chosen.selection, past: past)
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

    private func gone(_ what: String) -> CommandFailure {
        CommandFailure(
            status: Self.nothingRuns, summary: "\(what): what is not finished will not be",
            hint: "`ferry run --detach` starts one")
    }

    private func report(_ end: UploadWait.End) {
        switch end {
        case .ended(let upload):
            print(json ? UploadRecordLine(event: "state", upload).text : UploadText.line(upload, sent: nil))
        case .removed(let upload):
            print(
                json
                    ? UploadRecordLine(event: "removed", upload).text
                    : "\(upload.id)  removed  \(SafeLine.text(upload.target.name))")
        }
    }
}

/// Which of the chosen uploads have not ended yet.
struct UploadWait {
    enum End: Equatable {
        case ended(Upload)
        case removed(Upload)
    }

    private enum Phase {
        case choosing(UploadSelection)
        case waiting
    }

    private var phase: Phase
    private var open: [Upload.ID: Upload] = [:]
    private(set) var areAllDone = true

    /// What an upload that is not in the queue any more was in the end, if it was done: those leave it by themselves.
    private let past: (Upload.ID) -> Upload?

    init(_ selection: UploadSelection, past: @escaping (Upload.ID) -> Upload?) {
        phase = .choosing(selection)
        self.past = past
    }

    var isOver: Bool {
        if case .waiting = phase { open.isEmpty } else { false }
    }

    /// - Returns: Those that have ended by this, in the order of their numbers.
    /// - Throws: `CommandFailure` if a chosen one is not in the queue.
    mutating func take(_ update: QueueUpdate) throws(CommandFailure) -> [End] {
        let changed = Dictionary(uniqueKeysWithValues: update.changed.map { ($0.id, $0) })
        if case .choosing(let selection) = phase {
            open = try Self.choose(selection, of: changed)
            phase = .waiting
        }
        var ends: [End] = []
        for (id, last) in open.sorted(by: { $0.key < $1.key }) {
            if let upload = changed[id] {
                open[id] = upload
                guard Self.hasEnded(upload) else { continue }
                if !Self.isDone(upload) { areAllDone = false }
                ends.append(.ended(upload))
            } else if update.isComplete || update.removed.contains(id) {
                let done = past(id)
                if done == nil { areAllDone = false }
                ends.append(done.map(End.ended) ?? .removed(last))
            } else {
                continue
            }
            open[id] = nil
        }
        return ends
    }

    private static func choose(
        _ selection: UploadSelection, of uploads: [Upload.ID: Upload]
    ) throws(CommandFailure) -> [Upload.ID: Upload] {
        let numbers: UploadNumbers
        switch selection {
        case .ids(let ids): numbers = UploadNumbers(ids.map { $0...$0 })
        case .numbers(let named): numbers = named
        // What failed before this began has failed all the same: files may be deleted on the strength of our answer.
        case .all, .failed, .done: return uploads.filter { !isDone($0.value) }
        }
        let (found, missing) = numbers.found(among: uploads.keys)
        guard missing.isEmpty else {
            throw CommandFailure(
                status: CommandFailure.usage,
                summary:
                    "there is no upload \(missing.prefix(5).map(UploadNumbers.name).joined(separator: ", "))",
                hint: "`ferry list` shows the numbers")
        }
        let chosen = Set(found)
        return uploads.filter { chosen.contains($0.key) }
    }

    private static func isDone(_ upload: Upload) -> Bool {
        if case .done = upload.state { true } else { false }
    }

    private static func hasEnded(_ upload: Upload) -> Bool {
        switch upload.state {
        case .done, .failed, .held: true
        case .paused(let reasons): reasons.contains(.user)
        case .queued, .running, .waiting: false
        }
    }
}
