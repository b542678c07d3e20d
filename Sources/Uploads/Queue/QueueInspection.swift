import FerryProtocols

/// The values of the queue that a simulation checks when the queue has no task under way.
package struct QueueInspection: Sendable {
    package var uploads: [Upload.ID: Upload]
    package var runs: Set<Upload.ID>
    package var waits: Set<Upload.ID>
    package var starts: Set<Upload.ID>
    package var hasTimer: Bool
    package var pending: Int
    package var unsaved: Set<Upload.ID>
    package var hasNotice: Bool
    package var isAccepting: Bool

    package init(_ core: QueueCore, at now: Moment) {
        uploads = Dictionary(uniqueKeysWithValues: core.uploads.values.map { ($0.id, $0) })
        runs = Set(core.runs.all.keys)
        waits = Set(core.schedule.waits.ids)
        starts = Set(core.schedule.starts.ids)
        hasTimer = core.effects.wake != nil
        pending = core.index.pending
        unsaved = Set(core.unconfirmed.dirty.ids)
        hasNotice = core.notice(at: now) != nil
        isAccepting = core.phase == .accepting
    }
}
