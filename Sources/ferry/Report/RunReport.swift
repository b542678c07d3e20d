import FerryProtocols
import FerryTUI
import FerryUploads
import Foundation
import Synchronization

/// Follows a queue and prints what happens: a line for each change of state, and how far the running uploads are.
///
/// Printing never holds up an upload: updates merge while a line waits for its reader, and a reader that went away is
/// simply not written to.
final class RunReport: Sendable {
    private static let progressInterval = Duration.seconds(5)
    private static let blockedShown = 10

    private let queue: UploadQueue
    private let isJSON: Bool
    private let output = LineOutput()
    private let shown = Mutex<[Upload.ID: Upload]>([:])

    init(queue: UploadQueue, isJSON: Bool) {
        self.queue = queue
        self.isJSON = isJSON
    }

    func note(_ text: String) { note(Notice(kind: .note, text: text)) }

    func note(_ notice: Notice) {
        if isJSON {
            output.write(JSONLine.text(NoticeLine(notice)))
        } else {
            StandardError.write("\(notice.line)\n")
        }
    }

    /// Waits a moment until what was printed is read. A reader that stands still is not waited for.
    func flush() async { await output.flush() }

    /// Prints until the queue stops.
    func follow() async {
        let ticker = Task {
            while (try? await Task.sleep(for: Self.progressInterval)) != nil { printProgress() }
        }
        defer { ticker.cancel() }
        var status = StatusWatch()
        for await update in await queue.updates() {
            for upload in update.changed.sorted(by: { $0.id < $1.id }) {
                take(upload, isFirst: update.isComplete)
            }
            for id in update.removed { remove(id) }
            for change in status.take(update.status) { print(change) }
        }
    }

    /// Prints what waits in vain, and the sum of it all. True if nothing failed, is held or waits in vain.
    ///
    /// - Parameter retired: What was finished too and is no longer in the queue.
    func finish(_ uploads: [Upload], _ retired: UploadQueue.Retired) -> Bool {
        var counts: [String: Int] = retired.count > 0 ? ["done": retired.count] : [:]
        for upload in uploads { counts[upload.state.kind, default: 0] += 1 }
        let blocked = BlockedStart.all(among: uploads)
        for blocked in isJSON ? blocked[...] : blocked.prefix(Self.blockedShown) {
            output.write(isJSON ? UploadRecordLine(blocked).text : UploadText.line(blocked))
        }
        if !isJSON, blocked.count > Self.blockedShown {
            output.write("\(blocked.count - Self.blockedShown) more wait so; `ferry list` shows them")
        }
        if isJSON {
            output.write(JSONLine.text(CountsLine(event: "summary", counts: counts)))
        } else {
            let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            output.write(parts.isEmpty ? "nothing to do" : parts.joined(separator: ", "))
        }
        return counts["failed"] == nil && counts["held"] == nil && blocked.isEmpty
    }

    private func take(_ upload: Upload, isFirst: Bool) {
        let previous = shown.withLock { shown in
            defer { shown[upload.id] = upload }
            return shown[upload.id]
        }
        guard previous?.state != upload.state else { return }
        // What was finished before this run began is history.
        if isFirst, upload.isDone { return }
        output.write(
            isJSON ? UploadRecordLine(event: "state", upload).text : UploadText.line(upload))
    }

    private func remove(_ id: Upload.ID) {
        guard let upload = shown.withLock({ $0.removeValue(forKey: id) }) else { return }
        // Told when it was done; that the queue lets go of it later is no news.
        if upload.isDone { return }
        if isJSON {
            output.write(UploadRecordLine(event: "removed", upload).text)
        } else {
            output.write("\(id)  removed  \(UploadText.name(upload))")
        }
    }

    private func printProgress() {
        let samples = queue.progress()
        let sent = SampledProgress(samples)
        for id in samples.map(\.id).sorted() {
            guard let upload = shown.withLock({ $0[id] }) else { continue }
            output.write(
                isJSON
                    ? UploadRecordLine(event: "progress", upload, sent: sent.of(upload)).text
                    : UploadText.line(upload, sent: sent.of(upload)))
        }
    }

    private func print(_ change: StatusChange) {
        // Noted by the engine itself.
        if case .happened = change { return }
        guard isJSON else {
            note(change.sentence(in: .current))
            return
        }
        switch change {
        case .online: output.write(JSONLine.text(NetworkLine(event: "online")))
        case .offline(let reason): output.write(JSONLine.text(NetworkLine(event: "offline", reason: reason)))
        case .storage(let storage, let failure): print(storage, change.sentence(in: .current), failure)
        case .notice(let failure): note(failure.summary)
        case .asked(let pause): output.write(JSONLine.text(AskedPauseLine(event: "slow", pause)))
        case .limit(let limit): output.write(LimitLine(event: "limit", limit).text)
        // This is the engine itself.
        case .contact, .happened: break
        }
    }

    private func print(_ storage: EngineStatus.Storage, _ sentence: String, _ failure: UploadFailure?) {
        let event =
            switch storage {
            case .saved: "saved"
            case .behind: "snapshotFailed"
            case .refusing: "notSaved"
            }
        let text = storage == .saved ? sentence : failure?.summary ?? ""
        output.write(JSONLine.text(StorageLine(event: event, text: text, hint: failure?.hint)))
    }
}
