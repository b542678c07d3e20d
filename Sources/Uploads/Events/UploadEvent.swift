public import FerryFiles
public import FerryProtocols

/// An event of one upload.
public struct UploadEvent: Hashable, Sendable {
    /// The kind of an event. Summaries of many events list the kinds in this sequence.
    ///
    /// `resumed` means that a user ended a pause. `wentOn` means that an attempt continues from confirmed bytes.
    /// `waits` means that the upload waits for a retry, and `offline` that it waits for the network.
    public enum Kind: Hashable, Sendable, CaseIterable {
        case added, resumed, queuedAgain, began, wentOn, done, paused, offline, removed
        case waits, held, failed

        /// True if a report of the event must name the upload and the cause.
        public var isTrouble: Bool {
            switch self {
            case .added, .resumed, .queuedAgain, .began, .wentOn, .done, .paused, .offline, .removed: false
            case .waits, .held, .failed: true
            }
        }
    }

    /// The kind of the event.
    public var kind: Kind
    /// The upload right after the event; for a removal, right before it.
    public var upload: Upload
    /// The number of the file's bytes that were sent before the event; if unknown, the number that the server had
    /// confirmed.
    public var reached: ByteCount
    /// The time when the event was noticed.
    public var date: Date

    /// - Parameter reached: The number of the file's bytes sent before the event; nil for the confirmed bytes.
    public init(_ kind: Kind, _ upload: Upload, reached: ByteCount? = nil, date: Date) {
        self.kind = kind
        self.upload = upload
        self.reached = reached ?? upload.confirmed
        self.date = date
    }

    /// The outcome of the upload; nil for an event that does not end the upload.
    public var outcome: QueueEvent.Outcome? {
        switch kind {
        case .done: .done
        case .failed: .failed
        case .held: .held
        case .added, .resumed, .queuedAgain, .began, .wentOn, .paused, .offline, .removed, .waits: nil
        }
    }
}

extension UploadEvent.Kind {
    /// Finds the event between two states of an upload; nil if there is nothing to report.
    ///
    /// - Parameters:
    ///   - old: The upload as last seen; nil if it is new.
    ///   - isOffline: True if the queue has already reported that there is no network, so uploads need not report it.
    public init?(from old: Upload?, to new: Upload, isOffline: Bool) {
        guard let kind = Self.of(new, after: old, isOffline: isOffline) else { return nil }
        self = kind
    }

    private static func of(_ new: Upload, after old: Upload?, isOffline: Bool) -> Self? {
        guard let old else { return ofNew(new) }
        // Two successive failures may be equal; then only the number of attempts differs.
        guard old.state != new.state || old.tries.attempts != new.tries.attempts else { return nil }
        switch new.state {
        case .queued: return ofQueued(after: old.state)
        case .running:
            if old.state == new.state { return nil }
            // A user may have resumed the upload since the last update, and it has started already.
            return old.state.isPausedByUser ? .resumed : ofRunning(new)
        case .waiting(_, let failure):
            // The date is ignored, because each update computes the end of a wait again.
            if case .waiting(_, failure) = old.state, old.tries.attempts == new.tries.attempts { return nil }
            return .waits
        case .paused(.offline):
            if old.state == new.state { return nil }
            if old.state.isPausedByUser { return .resumed }
            return isOffline ? nil : .offline
        case .paused: return old.state.isPausedByUser ? nil : .paused
        case .held: return .held
        case .failed: return .failed
        case .done:
            if case .done = old.state, old.tries.attempts == new.tries.attempts { return nil }
            return .done
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
        // The upload starts again by itself.
        case .queued, .running, .waiting: nil
        }
    }
}
