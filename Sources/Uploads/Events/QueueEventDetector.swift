/// Finds events in the updates of a queue, for hooks, notifications, logs and line-by-line output.
public struct QueueEventDetector: Sendable {
    /// An upload as it was in the last update that contained it, in memory that the queue shares.
    private struct Seen {
        var upload: Upload
        /// The `round` in which the upload reached its outcome; 0 if it has none, or had one when it was first seen.
        var round = 0
    }

    private let reportsStanding: Bool
    private var seen: [Upload.ID: Seen] = [:]
    private var highest: Upload.ID?
    /// The number of uploads that keep the queue from being idle (`keepsQueueBusy`).
    private var pending = 0
    /// The number of the current round, which ends with the event `idle`.
    private var round = 1
    private var counts: [QueueEvent.Outcome: Int] = [:]
    private var status = StatusDiff()

    /// - Parameter reportsStanding: True to report also uploads that are not new: in the first update, those that run,
    ///   wait for a retry, are held or have failed; later, those that a user restored by undo.
    public init(reportsStanding: Bool = false) { self.reportsStanding = reportsStanding }

    /// Returns the events since the previous update: those of uploads by number, removals of unfinished uploads,
    /// changes of the engine's status, and `idle`. `date` is the date of the events of uploads.
    public mutating func take(_ update: QueueUpdate, at date: Date = Date()) -> [QueueEvent] {
        let isFirst = highest == nil
        let known = highest ?? 0
        var events: [QueueEvent] = []
        if update.isComplete, !isFirst {
            let there = Set(update.changed.lazy.map(\.id))
            for id in seen.keys where !there.contains(id) { _ = forget(id) }
        }
        if isFirst { seen.reserveCapacity(update.changed.count) }
        let isOffline = if case .offline = update.status.network { true } else { false }
        let isSilent = isFirst && !reportsStanding
        for upload in isSilent ? update.changed : update.changed.sorted(by: { $0.id < $1.id }) {
            // An upload that undo has put back is not new: its number is not higher than the highest so far.
            let isStanding = isFirst || upload.id <= known && seen[upload.id] == nil
            guard let kind = take(upload, isStanding: isStanding, isOffline: isOffline) else { continue }
            if isStanding, !reportsStanding || isFirst && !upload.isActiveOrStuck { continue }
            events.append(.upload(UploadEvent(kind, upload, date: date)))
        }
        highest = max(known, update.changed.lazy.map(\.id).max() ?? 0)
        for id in update.removed {
            guard let upload = forget(id), !upload.isDone else { continue }
            events.append(.upload(UploadEvent(.removed, upload, date: date)))
        }
        events += status.take(update.status).map(QueueEvent.status)
        if pending == 0, !counts.isEmpty {
            events.append(.idle(counts))
            counts = [:]
            round += 1
        }
        return events
    }

    /// Stores the upload for the next update, and counts its outcome unless it `isStanding`, not new.
    private mutating func take(_ upload: Upload, isStanding: Bool, isOffline: Bool) -> UploadEvent.Kind? {
        let before = seen[upload.id]
        let kind = UploadEvent.Kind(from: before?.upload, to: upload, isOffline: isOffline)
        pending += (upload.keepsQueueBusy ? 1 : 0) - (before?.upload.keepsQueueBusy == true ? 1 : 0)
        var now = Seen(upload: upload, round: before?.round ?? 0)
        let outcome = QueueEvent.Outcome(upload.state)
        if kind != nil || outcome == nil {
            if let before { uncount(before) }
            now.round = outcome == nil || isStanding ? 0 : round
            if let outcome, !isStanding { counts[outcome, default: 0] += 1 }
        }
        seen[upload.id] = now
        return kind
    }

    private mutating func forget(_ id: Upload.ID) -> Upload? {
        guard let upload = seen.removeValue(forKey: id)?.upload else { return nil }
        if upload.keepsQueueBusy { pending -= 1 }
        return upload
    }

    /// Removes the outcome of an upload from `counts`, if it is of this round. Only the last outcome counts.
    private mutating func uncount(_ before: Seen) {
        guard before.round == round, let outcome = QueueEvent.Outcome(before.upload.state),
            let count = counts[outcome]
        else { return }
        counts[outcome] = count > 1 ? count - 1 : nil
    }
}

extension Upload {
    /// True if the upload runs or starts by itself. One that waits for another upload does not count, because the other
    /// one keeps the queue busy or does not start without a user.
    fileprivate var keepsQueueBusy: Bool {
        state.isPending && !(state == .queued && start?.after.isEmpty == false)
    }

    fileprivate var isActiveOrStuck: Bool {
        switch state {
        case .running, .waiting, .held, .failed: true
        case .queued, .paused, .done: false
        }
    }
}
