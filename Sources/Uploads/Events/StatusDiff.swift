public import FerryProtocols
import FerryTransfer

/// One difference between two consecutive statuses of the engine.
public enum StatusChange: Hashable, Sendable {
    case online
    /// There is no network. The value is the reason, such as `no address on any interface`.
    case offline(String)
    /// The disk has begun or ceased to accept changes of the queue or its snapshots. The failure is the `notice`.
    case storage(EngineStatus.Storage, UploadFailure?)
    /// The client can no longer reach the engine, or can reach it again.
    case contact(EngineStatus.Contact)
    /// There is a new problem that users should know, but the engine can still save all changes to disk.
    case notice(UploadFailure)
    /// A busy server asks Ferry to pause uploads, or to pause them for longer than it asked before.
    case asked(RetryAfterPause)
    /// A bandwidth limit from a timetable has changed. Limits that users set are not reported.
    case limit(BandwidthLimit)
    /// A message to users came from outside of the queue, for example from a watched folder.
    case happened(DatedNotice)

    /// True for `happened`, a message about one event in the past. False for a change of a state that lasts.
    public var isPast: Bool {
        if case .happened = self { true } else { false }
    }
}

/// Compares each status of an engine with the previous one, and the first with a status without problems.
package struct StatusDiff: Sendable {
    private var last = EngineStatus()

    package init() {}

    package mutating func take(_ status: EngineStatus) -> [StatusChange] {
        var changes: [StatusChange] = []
        if status.contact != last.contact { changes.append(.contact(status.contact)) }
        if status.network != last.network {
            switch status.network {
            case .online: changes.append(.online)
            case .offline(_, let reason): changes.append(.offline(reason))
            }
        }
        if status.storage != last.storage {
            changes.append(.storage(status.storage, status.notice))
        } else if status.storage == .saved, let notice = status.notice, notice != last.notice {
            changes.append(.notice(notice))
        }
        for pause in status.retryAfterPauses where isUnreported(pause) { changes.append(.asked(pause)) }
        for limit in status.limits where isUnreported(limit) { changes.append(.limit(limit)) }
        changes += status.notices.filter { !last.notices.contains($0) }.map(StatusChange.happened)
        last = status
        return changes
    }

    private func isUnreported(_ limit: BandwidthLimit) -> Bool {
        let before = last.limits[limit.scope]
        return limit.origin != .command && limit.bandwidth != before.bandwidth
            && (limit.until != nil || before.until != nil && before.origin != .command)
    }

    /// True if a pause is new or ends more than a second later. The engine computes the end for each status again.
    private func isUnreported(_ pause: RetryAfterPause) -> Bool {
        guard let known = last.retryAfterPauses.first(where: { $0.host == pause.host }) else { return true }
        return pause.until.timeIntervalSince(known.until) > 1
    }
}
