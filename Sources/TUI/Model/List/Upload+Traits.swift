import FerryProtocols
import FerryUploads

extension Upload.State {
    var isUnfinished: Bool { if case .done = self { false } else { true } }
}

extension Upload {
    /// The failure of a waiting, held or failed upload.
    var failure: UploadFailure? {
        switch state {
        case .held(let failure), .failed(let failure), .waiting(_, let failure): failure
        case .queued, .running, .paused, .done: nil
        }
    }

    var canBePaused: Bool {
        switch state {
        case .queued, .running, .waiting: true
        case .paused(let reasons): !reasons.contains(.user)
        case .held, .done, .failed: false
        }
    }

    var isPausedByUser: Bool {
        if case .paused(let reasons) = state { reasons.contains(.user) } else { false }
    }

    /// True if a retry has an effect.
    var canBeRetried: Bool {
        switch state {
        case .waiting, .held, .failed: true
        case .queued: start != nil
        case .running, .paused, .done: false
        }
    }

    /// True if an attempt has begun, and the upload continues without an action of the user.
    var isUnderWay: Bool {
        switch state {
        case .running, .waiting: true
        case .queued, .paused(.offline): tries.attempts > 0
        case .paused, .held, .done, .failed: false
        }
    }
}

/// A summary of the uploads that an action applies to: whether any of them has each property.
struct TargetTraits {
    private(set) var count = 0
    var marked = 0
    private(set) var canBePaused = false
    private(set) var isPausedByUser = false
    private(set) var canBeRetried = false

    mutating func add(_ upload: Upload) {
        count += 1
        canBePaused = canBePaused || upload.canBePaused
        isPausedByUser = isPausedByUser || upload.isPausedByUser
        canBeRetried = canBeRetried || upload.canBeRetried
    }
}
