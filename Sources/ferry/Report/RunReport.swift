import FerryProtocols
import FerryTUI
import FerryUploads
import Synchronization

/// Follows a queue, and prints a line for each change of an upload's state and the progress of the running uploads.
final class RunReport: Sendable {
    private static let progressInterval = Duration.seconds(5)
    private static let blockedShown = 10
    /// The number of removed uploads that are read from the queue at once.
    private static let pageSize = 10_000

    private let queue: UploadQueue
    private let isJSON: Bool
    private let output = LineOutput()
    private let live: LiveDisplay?
    /// The uploads that had failed or were held when this run started, and have not changed since.
    private let failedBefore: Mutex<Set<Upload.ID>>

    init(queue: UploadQueue, isJSON: Bool, isASCII: Bool = false, failedBefore: Set<Upload.ID> = []) {
        self.queue = queue
        self.failedBefore = Mutex(failedBefore)
        self.isJSON = isJSON
        live = isJSON ? nil : LiveDisplay(on: output, isASCII: isASCII) { queue.progress() }
    }

    func note(_ text: String) { note(Notice(kind: .note, text: text)) }

    func note(_ notice: Notice) {
        if isJSON {
            output.write(NoticeLine(notice: notice).json)
        } else if live != nil, StandardStream.errors.isTerminal {
            // On a terminal, the notice is written above the live lines.
            write(notice.line)
        } else {
            StandardError.write("\(notice.line)\n")
        }
    }

    func flush() async { await output.flush() }

    func follow() async {
        let ticker = Task {
            if let live { return await live.run() }
            // Progress would only displace older lines of a log.
            if StandardStream.hasLog { return }
            while (try? await Task.sleep(for: Self.progressInterval)) != nil { await printProgress() }
        }
        var status = StatusDiff()
        var (printed, printedCount) = (PrintedStates(), 0)
        for await update in await begin(&status, &printed) {
            let changed = update.changed
            // A sorted copy of a change of many uploads would need much memory.
            for index in changed.indices.sorted(by: { changed[$0].id < changed[$1].id }) {
                take(changed[index], &printed)
            }
            await remove(update.removed, &printed)
            live?.take(update)
            for change in status.take(update.status) { print(change) }
            // Until the next order, a change of a million uploads would otherwise hold 100 MB of free memory.
            printedCount += changed.count + update.removed.count
            guard !update.isContinued else { continue }
            if printedCount >= Self.pageSize { Machine.releaseMemory() }
            printedCount = 0
        }
        ticker.cancel()
        await ticker.value
    }

    private func write(_ line: String) { output.write(line, stampedWithDay: live == nil) }

    private func write(_ line: @autoclosure () -> UploadRecordLine, _ text: @autoclosure () -> String) {
        isJSON ? output.write(line().json) : write(text())
    }

    /// Prints the uploads that are blocked, and the number of uploads in each state. The text leaves out the uploads
    /// that ended before this run; the JSON counts them.
    ///
    /// - Parameter retired: The totals of the uploads that finished in this run and have already left the queue.
    /// - Returns: False if an upload is blocked, or if an upload has failed or was held in this run.
    func finish(_ uploads: QueueTable, doneBefore: Set<Upload.ID>, _ retired: UploadQueue.Retired) -> Bool {
        let before = failedBefore.withLock { $0 }
        var counts: [String: Int] = retired.count > 0 ? ["done": retired.count] : [:]
        var hasFailed = false
        uploads.visit { upload in
            let hadFailed = before.contains(upload.id)
            let endedBefore = hadFailed || upload.isDone && doneBefore.contains(upload.id)
            if isJSON || !endedBefore { counts[upload.state.kind, default: 0] += 1 }
            if upload.hasFailedOrIsHeld, !hadFailed { hasFailed = true }
        }
        let blocked = BlockedUpload.all(among: uploads.values)
        for blocked in isJSON ? blocked[...] : blocked.prefix(Self.blockedShown) {
            output.write(isJSON ? UploadRecordLine(blocked).json : UploadText.line(blocked))
        }
        if !isJSON, blocked.count > Self.blockedShown {
            output.write("\(blocked.count - Self.blockedShown) more wait so; `ferry list` shows them")
        }
        if isJSON {
            output.write(CountsLine(event: "summary", counts: counts).json)
        } else {
            let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            output.write(parts.isEmpty ? "nothing to do" : parts.joined(separator: ", "))
        }
        if !before.isEmpty {
            note(
                "\(before.count) failed or held before this run: `ferry list --long --state failed,held` shows "
                    + (before.count == 1 ? "it" : "them"))
        }
        return blocked.isEmpty && !hasFailed
    }

    /// Prints the unfinished uploads and the status at the start of the run, and returns the later updates. On a
    /// terminal, the live lines count the uploads.
    private func begin(
        _ known: inout StatusDiff, _ printed: inout PrintedStates
    ) async -> AsyncStream<QueueUpdate> {
        let (uploads, status, updates) = await queue.changes()
        uploads.visit { printed.update($0.id, $0.state) }
        failedBefore.withLock { before in
            before = before.filter { uploads[$0]?.hasFailedOrIsHeld ?? true }
        }
        if let live {
            let all = Array(uploads.values)
            live.take(QueueUpdate(isComplete: true, changed: all, removed: [], status: status))
        } else {
            for id in uploads.ids.sorted() {
                if let upload = uploads[id], !upload.isDone { writeState(of: upload) }
            }
        }
        for change in known.take(status) { print(change) }
        return updates
    }

    private func take(_ upload: Upload, _ printed: inout PrintedStates) {
        guard printed.update(upload.id, upload.state) != upload.state else { return }
        failedBefore.withLock { _ = $0.remove(upload.id) }
        writeState(of: upload)
    }

    private func writeState(of upload: Upload) {
        write(UploadRecordLine(event: "state", upload), UploadText.line(upload, isBrief: live != nil))
    }

    private func remove(_ ids: [Upload.ID], _ printed: inout PrintedStates) async {
        var removed: [Upload.ID] = []
        removed.reserveCapacity(ids.count)
        for id in ids.sorted() {
            guard let state = printed.update(id, nil) else { continue }
            failedBefore.withLock { _ = $0.remove(id) }
            // A done upload has a line already, so its later removal from the queue gets none.
            if case .done = state { continue }
            removed.append(id)
        }
        for start in stride(from: 0, to: removed.count, by: Self.pageSize) {
            for upload in await queue.removed(removed[start...].prefix(Self.pageSize)) {
                write(UploadRecordLine(event: "removed", upload), UploadText.removed(upload))
            }
        }
    }

    private func printProgress() async {
        let samples = queue.progress()
        let sent = SampledProgress(samples)
        for upload in await queue.current(samples.map(\.id).sorted()) {
            // An upload that has just ended gets a line about its state.
            guard case .running = upload.state else { continue }
            let line = UploadRecordLine(
                event: "progress", upload, sent: sent.of(upload), estimate: sent.estimate(of: upload))
            write(line, UploadText.line(upload, sent: sent.of(upload)))
        }
    }

    private func print(_ change: StatusChange) {
        // `HeadlessRun` prints these notices.
        if case .happened = change { return }
        guard isJSON else {
            note(change.sentence(in: .local))
            return
        }
        switch change {
        case .online: output.write(NetworkLine(event: "online").json)
        case .offline(let reason): output.write(NetworkLine(event: "offline", reason: reason).json)
        case .storage(let storage, let failure): print(storage, change.sentence(in: .local), failure)
        case .notice(let failure): note(failure.summary)
        case .asked(let pause): output.write(RetryAfterPauseLine(pause: pause).json)
        case .limit(let limit): output.write(LimitLine(limit: limit).json)
        // The engine is this process, so the contact to it cannot change.
        case .contact, .happened: break
        }
    }

    private func print(_ storage: EngineStatus.Storage, _ sentence: String, _ failure: UploadFailure?) {
        let event =
            switch storage {
            case .saved: "saved"
            case .snapshotOverdue: "snapshotFailed"
            case .refusing: "notSaved"
            }
        let text = storage == .saved ? sentence : failure?.summary ?? ""
        output.write(StorageLine(event: event, text: text, hint: failure?.hint).json)
    }
}
