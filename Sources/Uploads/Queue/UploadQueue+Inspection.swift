import FerryProtocols

/// What must fit together inside the queue whenever nothing is under way. Simulations look at it.
package struct QueueInspection: Sendable {
    package var uploads: [Upload.ID: Upload]
    /// Those whose task has not ended.
    package var runs: Set<Upload.ID>
    /// Those that wait and would be woken.
    package var waits: Set<Upload.ID>
    /// Those that have a condition for their start and would be started.
    package var starts: Set<Upload.ID>
    package var hasTimer: Bool
    /// As counted change by change.
    package var pending: Int
    package var hasUnsaved: Bool
    package var hasNotice: Bool
    package var isAccepting: Bool
}

extension UploadQueue {
    package func inspect() -> QueueInspection {
        QueueInspection(
            uploads: Dictionary(uniqueKeysWithValues: uploads.values.map { ($0.id, $0) }),
            runs: Set(runs.keys), waits: Set(waits.ids),
            starts: Set(starts.ids), hasTimer: timer != nil, pending: pending, hasUnsaved: !unsaved.isEmpty,
            hasNotice: notice != nil,
            isAccepting: phase == .accepting)
    }
}
