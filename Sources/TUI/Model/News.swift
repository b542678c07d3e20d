import FerryProtocols
import FerryUploads

/// Something that became of an upload.
struct News: Sendable {
    /// In the order in which many of them are told together.
    enum Kind: Hashable, Sendable, CaseIterable {
        case added, resumed, queuedAgain, began, wentOn, done, paused, offline, removed
        case waits, held, failed

        /// True if a person should know which upload it is, and why.
        var isTrouble: Bool {
            switch self {
            case .added, .resumed, .queuedAgain, .began, .wentOn, .done, .paused, .offline, .removed: false
            case .waits, .held, .failed: true
            }
        }
    }

    var kind: Kind
    /// As it was then.
    var upload: Upload
    /// Bytes that were sent of it, as far as is known.
    var reached: ByteCount
    /// When.
    var clock: Clock
}

extension News.Kind {
    /// Nil if nothing is to be told.
    ///
    /// - Parameters:
    ///   - old: The upload as last seen; nil if it is new.
    ///   - isOffline: Whether everybody knows that there is no network.
    init?(from old: Upload?, to new: Upload, isOffline: Bool) {
        guard let kind = Self.of(new, after: old, isOffline: isOffline) else { return nil }
        self = kind
    }

    private static func of(_ new: Upload, after old: Upload?, isOffline: Bool) -> Self? {
        guard let old else { return ofNew(new) }
        guard old.state != new.state else { return nil }
        switch new.state {
        case .queued: return ofQueued(after: old.state)
        case .running: return ofRunning(new)
        case .waiting(_, let failure):
            // How long it still waits is told anew with every change.
            if case .waiting(_, failure) = old.state, old.tries.attempts == new.tries.attempts { return nil }
            return .waits
        case .paused(.offline):
            if old.isPausedByUser { return .resumed }
            return isOffline ? nil : .offline
        case .paused: return old.isPausedByUser ? nil : .paused
        case .held: return .held
        case .failed: return .failed
        case .done: return .done
        }
    }

    private static func ofNew(_ upload: Upload) -> Self {
        switch upload.state {
        case .queued: .added
        case .running: ofRunning(upload)
        case .waiting: .waits
        case .paused(.offline): .added
        case .paused: .paused
        case .held: .held
        case .failed: .failed
        case .done: .done
        }
    }

    private static func ofRunning(_ upload: Upload) -> Self { upload.confirmed > 0 ? .wentOn : .began }

    private static func ofQueued(after state: Upload.State) -> Self? {
        switch state {
        case .paused(let reasons): reasons.contains(.user) ? .resumed : nil
        case .held, .failed, .done: .queuedAgain
        // Its turn comes again by itself.
        case .queued, .running, .waiting: nil
        }
    }
}
