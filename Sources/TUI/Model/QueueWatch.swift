public import FerryUploads

/// Finds out from the updates of a queue what has happened. The first one only says how things are: what was over by then
/// is no event.
public struct QueueWatch: Sendable {
    /// As little as tells whether something happened to an upload, for there may be a million.
    private struct Seen {
        var outcome: QueueEvent.Outcome?
        var isPending: Bool
        /// One that failed again since it was last looked at differs in nothing else.
        var attempts: Int
        /// In which round it came to this end.
        var round = 0
    }

    private var seen: [Upload.ID: Seen] = [:]
    private var highest: Upload.ID?
    private var pending = 0
    /// Grows each time there is nothing left to do.
    private var round = 1
    private var counts: [QueueEvent.Outcome: Int] = [:]
    private var status = StatusWatch()

    public init() {}

    /// What has happened since the last one.
    public mutating func take(_ update: QueueUpdate) -> [QueueEvent] {
        let isFirst = highest == nil
        let known = highest ?? 0
        var events: [QueueEvent] = []
        if update.isComplete, !isFirst {
            let there = Set(update.changed.lazy.map(\.id))
            for id in seen.keys where !there.contains(id) { forget(id) }
        }
        if isFirst { seen.reserveCapacity(update.changed.count) }
        for upload in isFirst ? update.changed : update.changed.sorted(by: { $0.id < $1.id }) {
            // What was removed and is put back is no news: numbers are never given twice.
            let isOld = isFirst || upload.id <= known && seen[upload.id] == nil
            if let outcome = take(upload, isOld: isOld) { events.append(.ended(outcome, upload)) }
        }
        highest = max(known, update.changed.lazy.map(\.id).max() ?? 0)
        for id in update.removed { forget(id) }
        events += status.take(update.status).compactMap(Self.event)
        if pending == 0, !counts.isEmpty {
            events.append(.idle(counts))
            counts = [:]
            round += 1
        }
        return events
    }

    /// - Returns: The end that it has come to since it was last seen.
    private mutating func take(_ upload: Upload, isOld: Bool) -> QueueEvent.Outcome? {
        let before = seen[upload.id]
        var now = Seen(
            outcome: QueueEvent.Outcome(upload.state), isPending: upload.keepsQueueBusy,
            attempts: upload.tries.attempts)
        pending += (now.isPending ? 1 : 0) - (before?.isPending == true ? 1 : 0)
        let isSame = before?.outcome == now.outcome && before?.attempts == now.attempts
        if isSame, let before {
            now.round = before.round
        } else if let before {
            uncount(before)
        }
        defer { seen[upload.id] = now }
        guard let outcome = now.outcome, !isOld, !isSame else { return nil }
        now.round = round
        counts[outcome, default: 0] += 1
        return outcome
    }

    private mutating func forget(_ id: Upload.ID) {
        if seen.removeValue(forKey: id)?.isPending == true { pending -= 1 }
    }

    /// It is tried again: only what it comes to in the end counts.
    private mutating func uncount(_ before: Seen) {
        guard before.round == round, let outcome = before.outcome, let count = counts[outcome] else { return }
        counts[outcome] = count > 1 ? count - 1 : nil
    }

    private static func event(_ change: StatusChange) -> QueueEvent? {
        switch change {
        case .online: .online
        case .offline(let reason): .offline(reason: reason)
        case .storage(.refusing, let failure): .notSaved(failure)
        case .storage, .contact, .notice, .asked, .limit, .happened: nil
        }
    }
}

extension Upload {
    /// True while the queue itself will do something about it, now or at a time. What waits for another one does not count:
    /// as long as that goes on it counts itself, and if it does not, neither does this.
    fileprivate var keepsQueueBusy: Bool {
        state.isPending && !(state == .queued && start?.after.isEmpty == false)
    }
}
