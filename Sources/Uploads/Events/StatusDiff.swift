import FerryFiles
public import FerryProtocols
import FerryTransfer

/// One difference between two consecutive statuses of the engine.
public enum StatusChange: Hashable, Sendable {
    case online
    /// There is no network. The value is the reason, as a part of a sentence.
    case offline(String)
    /// The state of the engine's storage has changed. The failure is the current problem that users should know, such
    /// as a full disk; nil if there is none.
    case storage(EngineStatus.Storage, UploadFailure?)
    /// The client's contact with the engine has changed: the engine is unreachable, or reachable again.
    case contact(EngineStatus.Contact)
    /// There is a new problem that users should know, but all changes are on disk.
    case notice(UploadFailure)
    /// A server asks for a pause, or for a longer one than before.
    case asked(RetryAfterPause)
    /// A timetable has changed a bandwidth limit. Limits that users set are not reported.
    case limit(BandwidthLimit)
    /// A message to users came from outside of the queue, for example from a watched folder.
    case happened(DatedNotice)

    /// True for a single event in the past; false for the change of a state that lasts.
    public var isPast: Bool {
        if case .happened = self { true } else { false }
    }
}

/// A comparison of each status of an engine with the previous one. The first status is compared with that of an engine
/// that is online and saves everything.
package struct StatusDiff: Sendable {
    private var last = EngineStatus()

    package init() {}

    /// Returns the differences from the previous status.
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
        for pause in status.retryAfterPauses where isNews(pause) { changes.append(.asked(pause)) }
        for limit in status.limits where isNews(limit) { changes.append(.limit(limit)) }
        changes += status.notices.filter { !last.notices.contains($0) }.map(StatusChange.happened)
        last = status
        return changes
    }

    private func isNews(_ limit: BandwidthLimit) -> Bool {
        let before = last.limits[limit.scope]
        return limit.origin != .command && limit.bandwidth != before.bandwidth
            && (limit.until != nil || before.until != nil && before.origin != .command)
    }

    /// Returns whether a pause is new, or ends more than a second later than in the previous status. The end is
    /// computed again for each status, so smaller differences do not count. A change of the number of waiting uploads
    /// is not reported.
    private func isNews(_ pause: RetryAfterPause) -> Bool {
        guard let known = last.retryAfterPauses.first(where: { $0.host == pause.host }) else { return true }
        return pause.until.timeIntervalSince(known.until) > 1
    }
}
