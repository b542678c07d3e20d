public import FerryProtocols
public import FerryUploads

/// Something that happened in a queue and that a person may want to be called for.
public enum QueueEvent: Hashable, Sendable {
    /// As the configuration names them.
    public enum Name: String, CaseIterable, Sendable {
        case done, failed, held, idle, offline, online, notSaved
    }

    /// An upload has come to an end, which may not be its last.
    public enum Outcome: String, CaseIterable, Sendable {
        case done, failed, held

        init?(_ state: Upload.State) {
            switch state {
            case .done: self = .done
            case .failed: self = .failed
            case .held: self = .held
            case .queued, .running, .waiting, .paused: return nil
            }
        }

        /// Of the event that it is.
        public var name: Name {
            switch self {
            case .done: .done
            case .failed: .failed
            case .held: .held
            }
        }
    }

    case ended(Outcome, Upload)
    /// Nothing runs and nothing will by itself. How many uploads have come to which end since the last time.
    case idle([Outcome: Int])
    case offline(reason: String)
    case online
    /// The disk refuses what changes.
    case notSaved(UploadFailure?)

    /// Without what differs from one to the next.
    public var name: Name {
        switch self {
        case .ended(let outcome, _): outcome.name
        case .idle: .idle
        case .offline: .offline
        case .online: .online
        case .notSaved: .notSaved
        }
    }

    /// Of the upload, if it is about one.
    public var upload: Upload.ID? {
        if case .ended(_, let upload) = self { upload.id } else { nil }
    }
}
