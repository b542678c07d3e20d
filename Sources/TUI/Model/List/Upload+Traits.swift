import FerryProtocols
import FerryUploads

extension Upload.State {
    var isUnfinished: Bool { if case .done = self { false } else { true } }

    var canBePaused: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused(let reasons): !reasons.contains(.user)
        case .held, .done, .failed: false
        }
    }

    var isPausedByUser: Bool {
        if case .paused(let reasons) = self { reasons.contains(.user) } else { false }
    }

    var canBeRetried: Bool {
        switch self {
        case .waiting, .held, .failed: true
        case .queued, .running, .paused, .done: false
        }
    }
}

extension Upload {
    /// The reason why the upload waits for a retry, waits for the user (`held`) or has failed; nil in other states.
    var failure: UploadFailure? {
        switch state {
        case .held(let failure), .failed(let failure), .waiting(_, let failure): failure
        case .queued, .running, .paused, .done: nil
        }
    }

    var canBePaused: Bool { state.canBePaused }
    var isPausedByUser: Bool { state.isPausedByUser }
    /// True if the upload waits for a retry, waits for the user (`held`), has failed, or is queued with a start
    /// condition (`start`). A retry has an effect only on such an upload.
    var canBeRetried: Bool { state.canBeRetried || state == .queued && start != nil }

    /// True if an attempt has begun, and the upload continues without an action of the user.
    var isUnderWay: Bool {
        switch state {
        case .running, .waiting: true
        case .queued, .paused(.offline): tries.attempts > 0
        case .paused, .held, .done, .failed: false
        }
    }
}
