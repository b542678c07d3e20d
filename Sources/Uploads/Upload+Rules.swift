import FerryFiles
import FerryProtocols
import FerryTransfer

extension Upload.State {
    /// True if a user paused the upload, and perhaps the link too.
    var isPausedByUser: Bool {
        if case .paused(let reasons) = self { reasons.contains(.user) } else { false }
    }

    /// True if the queue itself processes the upload, now or later.
    package var isPending: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused(let reasons): reasons == .offline
        case .held, .done, .failed: false
        }
    }

    /// True if `before` waited for the same moment.
    func isWait(of before: Upload?) -> Bool {
        guard case .waiting(let until, _) = self, case .waiting(until, _) = before?.state else {
            return false
        }
        return true
    }
}

extension Upload {
    package var isDone: Bool {
        if case .done = state { true } else { false }
    }

    /// True if the upload is not retried unless a user asks for it.
    package var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// True if it is unknown whether the server has the file, and the user has not decided.
    public var isUncertain: Bool {
        switch state {
        case .failed(let failure), .held(let failure): failure.category == .outcomeUnknown
        case .queued, .running, .waiting, .paused, .done: false
        }
    }

    /// True if the upload was sent again, or will be, after its whole body was sent without a response.
    public var mayBeDuplicate: Bool { tries.uncertain > (isUncertain ? 1 : 0) }

    /// True if a retry must read the file's version again.
    var needsNewIdentity: Bool {
        switch state {
        case .failed(let failure), .held(let failure):
            [.sourceChanged, .sourceUnreadable].contains(failure.category)
        case .queued, .running, .waiting, .paused, .done: false
        }
    }
}

extension Upload.Tries {
    /// Counts the bytes that an attempt sends again when it resumes after `confirmed` bytes of the file.
    mutating func countResent(after confirmed: ByteCount) {
        resent += max(0, sent - confirmed)
        sent = 0
    }

    /// Counts the bytes that an ended attempt had sent. The number that left this machine is known only then, and may
    /// be less than noted before.
    mutating func countSent(_ bytes: ByteCount, by run: RunTable.Run) {
        if run.unasked != nil, bytes > run.confirmed { countResent(after: run.confirmed) }
        sent = max(run.hasNotedSent ? 0 : sent, bytes)
    }
}

/// The commands of users for an upload. Each rule returns whether anything changed; none uses a clock, disk or network.
extension Upload {
    mutating func pause() -> Bool {
        switch state {
        case .queued, .running, .waiting:
            state = .paused(.user)
            return true
        case .paused(let reasons) where !reasons.contains(.user):
            state = .paused(reasons.union(.user))
            return true
        case .paused, .held, .done, .failed:
            return false
        }
    }

    /// Lifts the user's pause and no other.
    mutating func resume() -> Bool {
        guard case .paused(let reasons) = state, reasons.contains(.user) else { return false }
        let rest = reasons.subtracting(.user)
        state = rest.isEmpty ? .queued : .paused(rest)
        return true
    }

    /// Retries at once with fresh counters. After a change of the file, `identity` is its current version.
    ///
    /// - Parameter startsEarly: Whether an upload with a start condition starts now.
    mutating func retry(identity: FileIdentity?, startsEarly: Bool) -> Bool {
        switch state {
        case .failed(let failure), .held(let failure):
            if failure.category == .sourceChanged || failure.category == .sourceUnreadable, let identity {
                take(identity)
            }
            if failure.category == .outcomeUnknown { resource = nil }
            tries.network = 0
            tries.server = 0
            tries.authentication = 0
            start = nil
            state = .queued
            return true
        case .waiting, .paused(.offline):
            state = .queued
            return true
        case .queued where startsEarly && start != nil:
            start = nil
            return true
        case .queued, .running, .paused, .done:
            return false
        }
    }

    /// Continues with the current version of the file.
    mutating func take(_ identity: FileIdentity) {
        guard identity != self.identity else { return }
        // Bytes of another version of the file must not be mixed with those on the server.
        resource = nil
        self.identity = identity
        tries.changes = min(tries.changes, 1_000_000) + 1
    }

    /// Applies `policy` to an upload whose outcome is unknown and that an earlier policy treated otherwise.
    mutating func decide(by policy: QueueRetryPolicy) -> Bool {
        switch (state, policy.onUncertain) {
        case (.held(let failure), .fail) where failure.category == .outcomeUnknown,
            (.waiting(_, let failure), .fail) where failure.category == .outcomeUnknown:
            state = .failed(failure)
            return true
        case (.held, .retry) where isUncertain && tries.uncertain <= policy.serverTries:
            return retry(identity: nil, startsEarly: false)
        case (.waiting(_, let failure), .hold) where failure.category == .outcomeUnknown:
            state = .held(failure)
            return true
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _), (.held, _), (.done, _), (.failed, _):
            return false
        }
    }

    mutating func loseLink() -> Bool {
        switch state {
        case .running:
            state = .paused(.offline)
            return true
        case .queued, .waiting, .paused, .held, .done, .failed:
            return false
        }
    }

    /// Resumes after the link returned or changed: uploads paused by it resume, and uploads that waited for a network,
    /// or for one without a captive portal, start.
    mutating func regainLink() -> Bool {
        if case .waiting(_, let failure) = state, [.signInPage, .signInAway].contains(failure.category) {
            state = .queued
            return true
        }
        return regainHost()
    }

    /// Resumes the uploads that waited for the host, which is reachable.
    mutating func regainHost() -> Bool {
        switch state {
        case .paused(let reasons) where reasons.contains(.offline):
            let rest = reasons.subtracting(.offline)
            state = rest.isEmpty ? .queued : .paused(rest)
            return true
        case .waiting(_, let failure) where failure.category.isOfNetwork:
            state = .queued
            return true
        case .queued, .running, .waiting, .paused, .held, .done, .failed:
            return false
        }
    }

    /// Undoes a change, except for values that have changed again since.
    mutating func takeBack(from after: Upload, to before: Upload) {
        if rank == after.rank { rank = before.rank }
        if identity == after.identity { identity = before.identity }
        if state == after.state {
            state = before.state
        } else if before.state.isPausedByUser != after.state.isPausedByUser {
            takeBackPause(before.state.isPausedByUser)
        }
        if resource == after.resource { resource = before.resource }
        if tries == after.tries { tries = before.tries }
        if start == after.start { start = before.start }
    }

    /// Sets whether the user paused the upload, whatever the link's state is.
    private mutating func takeBackPause(_ isPausedByUser: Bool) {
        var reasons: PauseReasons
        switch state {
        case .queued: reasons = []
        case .paused(let known): reasons = known
        case .running, .waiting, .held, .done, .failed: return
        }
        if isPausedByUser { reasons.insert(.user) } else { reasons.remove(.user) }
        state = reasons.isEmpty ? .queued : .paused(reasons)
    }

    /// Sets the state of an upload that is loaded after its process ended.
    mutating func recover() {
        switch state {
        case .running: state = .queued
        case .paused(let reasons) where reasons.contains(.offline):
            let rest = reasons.subtracting(.offline)
            state = rest.isEmpty ? .queued : .paused(rest)
        case .queued, .waiting, .paused, .held, .done, .failed: break
        }
    }
}
