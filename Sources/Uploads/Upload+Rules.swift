import FerryFiles
import FerryProtocols
import FerryTransfer

extension Upload.State {
    /// True if a user paused the upload, even if the network is away too.
    var isPausedByUser: Bool {
        if case .paused(let reasons) = self { reasons.contains(.user) } else { false }
    }

    /// True if the upload runs, or will start without an action of a user.
    package var isPending: Bool {
        switch self {
        case .queued, .running, .waiting: true
        case .paused(let reasons): reasons == .offline
        case .held, .done, .failed: false
        }
    }

    /// True if this state and the state of `before` are waits that end at the same time.
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

    package var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    /// True if the upload failed or is held because it is unknown whether the server has stored the file.
    public var isUncertain: Bool {
        switch state {
        case .failed(let failure), .held(let failure): failure.category == .outcomeUnknown
        case .queued, .running, .waiting, .paused, .done: false
        }
    }

    /// True if the server possibly stores two copies of the file: the whole body was sent without a response, and the
    /// queue has sent it again or will send it again.
    public var mayBeDuplicate: Bool { tries.uncertain > (isUncertain ? 1 : 0) }

    /// True if a retry must read the file's version again, because the file changed or could not be read.
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

    /// Records the number of bytes of the file that an attempt had sent when it ended. This number replaces the one
    /// that was recorded during the attempt. The replaced number can be higher, because some of its bytes never left
    /// this machine.
    mutating func countSent(_ bytes: ByteCount, by run: RunTable.Run) {
        if run.unasked != nil, bytes > run.confirmed { countResent(after: run.confirmed) }
        sent = max(run.hasNotedSent ? 0 : sent, bytes)
    }
}

/// The changes of one upload by commands of users and by the network. The functions use no clock, disk or network. A
/// function that returns `Bool` returns true if the upload changed.
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

    /// Ends the user's pause. If the network is away, the upload stays paused for that reason.
    ///
    /// - Returns: True if the upload changed.
    mutating func resume() -> Bool {
        guard case .paused(let reasons) = state, reasons.contains(.user) else { return false }
        let rest = reasons.subtracting(.user)
        state = rest.isEmpty ? .queued : .paused(rest)
        return true
    }

    /// Queues the upload again if it failed, is held, waits for a retry, or is paused for lack of a network. If it
    /// failed or is held, also resets the counts of network failures, refusals and rejected credentials, and removes
    /// the start condition.
    ///
    /// - Parameters:
    ///   - identity: The current version of the file, for an upload that failed or is held because the file changed or
    ///     could not be read; nil keeps the queued version.
    ///   - startsEarly: Whether a queued upload loses its start condition, so that it starts now.
    /// - Returns: True if the upload changed.
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

    /// Replaces the version of the file. If the versions differ, the file is sent from its beginning.
    mutating func take(_ identity: FileIdentity) {
        guard identity != self.identity else { return }
        // Bytes of another version of the file must not be mixed with those on the server.
        resource = nil
        self.identity = identity
        tries.changes = min(tries.changes, 1_000_000) + 1
    }

    /// Applies the current `onUncertain` policy to a held or waiting upload whose outcome on the server is unknown. If
    /// the policy was different at the failure, the upload now fails, is held or is queued again.
    ///
    /// - Returns: True if the upload changed.
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

    /// Ends a pause for lack of a network, and a wait after a network failure, a captive portal or an unreachable
    /// source of credentials. The upload is then queued, unless a user paused it. Called when the network has returned
    /// or changed, or when a user overrides the link monitor.
    ///
    /// - Returns: True if the upload changed.
    mutating func regainLink() -> Bool {
        if case .waiting(_, let failure) = state, [.signInPage, .signInAway].contains(failure.category) {
            state = .queued
            return true
        }
        return regainHost()
    }

    /// Ends a pause for lack of a network, and a wait after a network failure. The upload is then queued, unless a user
    /// paused it. Called when the upload's host is possibly reachable again.
    ///
    /// - Returns: True if the upload changed.
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

    /// Undoes the change from `before` to `after`. Values that have changed again since stay as they are. If the state
    /// has changed again, only a change of the user's pause is undone.
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

    /// Adds or removes the user's pause of a queued or paused upload. A pause for lack of a network stays.
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

    /// Adjusts the state of an upload that was loaded from disk or is put back into the queue. A running upload is
    /// queued again, because its attempt has ended. A pause for lack of a network ends, because the network may have
    /// returned.
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
