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
    /// The failure of a waiting, held or failed upload.
    var failure: UploadFailure? {
        switch state {
        case .held(let failure), .failed(let failure), .waiting(_, let failure): failure
        case .queued, .running, .paused, .done: nil
        }
    }

    var canBePaused: Bool { state.canBePaused }
    var isPausedByUser: Bool { state.isPausedByUser }
    /// True if a retry has an effect.
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
