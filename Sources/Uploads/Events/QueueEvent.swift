/// An event of the upload queue. It concerns one upload, all uploads together or the status of the engine.
public enum QueueEvent: Hashable, Sendable {
    /// The names, in the configuration, of the events that can run hook commands and notify users.
    public enum Name: String, CaseIterable, Sendable {
        case done, failed, held, idle, offline, online, notSaved
    }

    /// The state in which an upload stopped. Failed and held uploads can be retried.
    public enum Outcome: String, CaseIterable, Sendable {
        case done, failed, held
    }

    case upload(UploadEvent)
    /// No upload runs, and none will start without a user. The value counts the outcomes since the last `idle`.
    case idle([Outcome: Int])
    case status(StatusChange)

    /// The name of the event in the configuration; nil if it cannot be selected there.
    public var name: Name? {
        switch self {
        case .upload(let event): event.outcome?.name
        case .idle: .idle
        case .status(.offline): .offline
        case .status(.online): .online
        case .status(.storage(.refusing, _)): .notSaved
        case .status: nil
        }
    }

    /// The number of the upload that the event concerns; nil for an event of the whole queue.
    public var upload: Upload.ID? {
        if case .upload(let event) = self { event.upload.id } else { nil }
    }
}

extension QueueEvent.Outcome {
    init?(_ state: Upload.State) {
        switch state {
        case .done: self = .done
        case .failed: self = .failed
        case .held: self = .held
        case .queued, .running, .waiting, .paused: return nil
        }
    }

    /// The name of the event that reports this outcome.
    public var name: QueueEvent.Name {
        switch self {
        case .done: .done
        case .failed: .failed
        case .held: .held
        }
    }
}
