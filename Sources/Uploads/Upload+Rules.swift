import FerryFiles
import FerryProtocols
import FerryTransfer

extension Upload.State {
    /// True if a user paused the upload, and perhaps the link too.
    fileprivate var isPausedByUser: Bool {
        if case .paused(let reasons) = self { reasons.contains(.user) } else { false }
    }

    /// True while the queue itself will do something about it, now or later.
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

    /// True if it will not be tried again unless somebody asks for it.
    package var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// True if nobody can tell whether the server has the file, and nobody has said what to do.
    public var isUncertain: Bool {
        switch state {
        case .failed(let failure), .held(let failure): failure.category == .outcomeUnknown
        case .queued, .running, .waiting, .paused, .done: false
        }
    }

    /// True if it was sent again, or is going to be, after all of it had gone out without an answer.
    public var mayBeDuplicate: Bool { tries.uncertain > (isUncertain ? 1 : 0) }

    /// True if trying again means looking at the file again.
    var needsNewIdentity: Bool {
        switch state {
        case .failed(let failure), .held(let failure):
            [.sourceChanged, .sourceUnreadable].contains(failure.category)
        case .queued, .running, .waiting, .paused, .done: false
        }
    }
}

extension Upload.Tries {
    /// Counts what an attempt sends again that goes on after `confirmed` bytes of the file.
    mutating func countResent(after confirmed: ByteCount) {
        resent += max(0, sent - confirmed)
        sent = 0
    }

    /// Counts what an attempt that ended had sent. What left this machine is known only then, and may be less than was
    /// noted.
    mutating func countSent(_ bytes: ByteCount, by run: RunTable.Run) {
        if run.unasked != nil, bytes > run.confirmed { countResent(after: run.confirmed) }
        sent = max(run.hasNotedSent ? 0 : sent, bytes)
    }
}

/// The commands of people for an upload. Each rule says whether anything changed; none knows of a clock, disk or
/// network.
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

    /// Tries again at once with fresh counters. After a change of the file, `identity` is what the file is now.
    ///
    /// - Parameter startsEarly: Whether one that waits for its start begins now.
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

    /// Goes on with the file as it is now.
    mutating func take(_ identity: FileIdentity) {
        guard identity != self.identity else { return }
        // Bytes of another version of the file must not be mixed with those the server has.
        resource = nil
        self.identity = identity
        tries.changes = min(tries.changes, 1_000_000) + 1
    }

    /// Does with an upload whose outcome is unknown, and that was decided upon otherwise before, what `policy` says.
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

    /// The link is back, or another one: what it held up goes on, what waited for a network, or for one that asks nobody
    /// to sign in, need not wait any longer.
    mutating func regainLink() -> Bool {
        if case .waiting(_, let failure) = state, [.signInPage, .signInAway].contains(failure.category) {
            state = .queued
            return true
        }
        return regainHost()
    }

    /// The host answers: what waited for it goes on.
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

    /// Takes a change back, except where something else has been changed since.
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

    /// Sets whether the user paused the upload, whatever the link did to it meanwhile.
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

    /// Sets the state that an upload has when the queue is read back after the process that ran it is gone.
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
