public import FerryProtocols

/// An event of one upload.
public struct UploadEvent: Hashable, Sendable {
    /// The kind of an event, in the sequence of summaries. `resumed` ends a pause by a user, and `queuedAgain` a done,
    /// failed or held state. For `continued`, unlike `began`, the server already has bytes of the file. `waits` is for
    /// a retry, and `offline` for the network.
    public enum Kind: Hashable, Sendable, CaseIterable {
        case added, resumed, queuedAgain, began, continued, done, paused, offline, removed
        case waits, held, failed

        /// True for an event that is a problem: a report of it must name the upload and the cause.
        public var isTrouble: Bool { [.waits, .held, .failed].contains(self) }
    }

    /// The kind of the event.
    public var kind: Kind
    /// The upload right after the event, or before its removal.
    public var upload: Upload
    /// The number of bytes that were sent before the event, or if this is unknown, confirmed.
    public var reached: ByteCount
    /// The time when Ferry noticed the event.
    public var date: Date

    /// Creates an event. Without `reached`, the number of confirmed bytes is used.
    public init(_ kind: Kind, _ upload: Upload, reached: ByteCount? = nil, date: Date) {
        self.kind = kind
        self.upload = upload
        self.reached = reached ?? upload.confirmed
        self.date = date
    }

    /// The outcome of the upload: done, failed or held. Nil for an event of any other kind.
    public var outcome: QueueEvent.Outcome? {
        switch kind {
        case .done: .done
        case .failed: .failed
        case .held: .held
        case .added, .resumed, .queuedAgain, .began, .continued, .paused, .offline, .removed, .waits: nil
        }
    }
}

extension UploadEvent.Kind {
    /// Creates the kind of the event that changed an upload from `old`, if it is not new, to `new`. Nil if there is
    /// nothing to report.
    ///
    /// - Parameter isOffline: True if the missing network has already been reported for the whole queue.
    public init?(from old: Upload?, to new: Upload, isOffline: Bool) {
        let (before, state) = (old?.state, new.state)
        let isSameAttempt = old?.tries.attempts == new.tries.attempts
        // Two successive failures may be equal; then only the number of attempts differs.
        if before == state, isSameAttempt { return nil }
        let wasPaused = before?.isPausedByUser ?? false
        switch state {
        case .queued where before == nil: self = .added
        case .queued where wasPaused: self = .resumed
        case .queued:
            // Otherwise the upload starts again by itself.
            guard before?.isEnd == true else { return nil }
            self = .queuedAgain
        case .running, .paused(.offline):
            if before == state { return nil }
            if wasPaused {
                // A user may have resumed the upload since the last update, and it has started already.
                self = .resumed
            } else if case .running = state {
                self = new.confirmed > 0 ? .continued : .began
            } else {
                if before != nil, isOffline { return nil }
                self = before == nil ? .added : .offline
            }
        case .waiting(_, let failure):
            // The date is ignored, because each update computes the end of a wait again.
            if case .waiting(_, failure)? = before, isSameAttempt { return nil }
            self = .waits
        case .paused:
            if wasPaused { return nil }
            self = .paused
        case .held: self = .held
        case .failed: self = .failed
        case .done:
            if case .done? = before, isSameAttempt { return nil }
            self = .done
        }
    }
}
