import FerryUploads

extension Upload.State {
    var isUnfinished: Bool {
        if case .done = self { return false }
        return true
    }

    var canBePaused: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused(let reasons): !reasons.contains(.user)
        case .held, .done, .failed: false
        }
    }

    var isPausedByUser: Bool {
        if case .paused(let reasons) = self { return reasons.contains(.user) }
        return false
    }

    var canBeRetried: Bool {
        switch self {
        case .waiting, .held, .failed: true
        case .queued, .running, .paused, .done: false
        }
    }
}

extension Upload {
    var canBePaused: Bool { state.canBePaused }
    var isPausedByUser: Bool { state.isPausedByUser }
    /// True also for an upload that is scheduled for later: retrying starts it now.
    var canBeRetried: Bool { state.canBeRetried || state == .queued && start != nil }

    /// True if the upload has been tried and will continue without the user.
    var isUnderWay: Bool {
        switch state {
        case .running, .waiting: true
        case .queued, .paused(.offline): tries.attempts > 0
        case .paused, .held, .done, .failed: false
        }
    }
}
