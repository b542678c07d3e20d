import FerryProtocols
import FerryTransfer

extension Upload.State {
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

    /// Returns whether the upload still waits for the same retry as before.
    func isWait(of before: Upload) -> Bool {
        if case .waiting(let until, _) = self, case .waiting(until, _) = before.state { true } else { false }
    }

    var isEnd: Bool {
        if case .done = self { true } else { ending != nil }
    }

    /// The failure of a failed or held upload.
    var ending: UploadFailure? {
        switch self {
        case .failed(let failure), .held(let failure): failure
        case .queued, .running, .waiting, .paused, .done: nil
        }
    }

    /// The state after a user has paused the upload; nil if a pause changes nothing.
    var pausedByUser: Self? {
        switch self {
        case .queued, .running, .waiting: .paused(.user)
        case .paused(let reasons): reasons.contains(.user) ? nil : .paused(reasons.union(.user))
        case .held, .done, .failed: nil
        }
    }

    /// The state after a user has resumed the upload; nil if no user has paused it.
    var resumedByUser: Self? {
        guard case .paused(let reasons) = self, reasons.contains(.user) else { return nil }
        return .paused(ifAny: reasons.subtracting(.user))
    }

    /// The state of a queued or paused upload that is paused for `reasons`.
    static func paused(ifAny reasons: Upload.PauseReasons) -> Self {
        reasons.isEmpty ? .queued : .paused(reasons)
    }
}

extension Upload {
    package var isDone: Bool {
        if case .done = state { true } else { false }
    }

    package var hasFailed: Bool {
        if case .failed = state { true } else { false }
    }

    package var hasFailedOrIsHeld: Bool { state.ending != nil }

    /// True if the upload failed or is held, because it is unknown whether the server has stored the file.
    public var isUncertain: Bool { state.ending?.category == .outcomeUnknown }

    /// True if the file was or will be sent again without a response to the first copy.
    public var mayBeDuplicate: Bool { tries.uncertain > (isUncertain ? 1 : 0) }

    /// True if the upload failed or is held because of its file, whose current version a retry must look up.
    var needsNewIdentity: Bool {
        state.ending.map { [.sourceChanged, .sourceUnreadable].contains($0.category) } ?? false
    }
}

extension Upload.Tries {
    /// Moves the bytes in `sent` after the first `confirmed` bytes to `resent`, as the next attempt sends them again.
    mutating func countResent(after confirmed: ByteCount) {
        resent += max(0, sent - confirmed)
        sent = 0
    }

    /// Stores in `sent` the number of bytes that an attempt had sent when it ended. A higher number of an earlier
    /// attempt stays. One of this attempt does not, as it can include bytes that never left this machine.
    mutating func countSent(_ bytes: ByteCount, by run: RunTable.Run) {
        if run.unasked != nil, bytes > run.confirmed { countResent(after: run.confirmed) }
        sent = max(run.hasNotedSent ? 0 : sent, bytes)
    }
}

/// The changes of one upload. A function that returns `Bool` returns true if it changed the upload.
extension Upload {
    mutating func pause() -> Bool {
        guard let paused = state.pausedByUser else { return false }
        state = paused
        return true
    }

    /// Ends the pause by the user. Without a network, the upload stays paused.
    mutating func resume() -> Bool {
        guard let resumed = state.resumedByUser else { return false }
        state = resumed
        return true
    }

    /// True if a retry by a user changes the upload.
    func isRetried(startsEarly: Bool) -> Bool {
        switch state {
        case .failed, .held, .waiting, .paused(.offline): true
        case .queued: startsEarly && start != nil
        case .running, .paused, .done: false
        }
    }

    /// Queues the upload again if it failed, is held, waits for a retry, or is paused only for lack of a network. The
    /// current version `identity` is needed if its file changed or could not be read. With `startsEarly`, a queued
    /// upload loses its start condition. `isAutomatic` is false if a user chose the retry.
    mutating func retry(identity: FileIdentity?, startsEarly: Bool, isAutomatic: Bool = false) -> Bool {
        guard isRetried(startsEarly: startsEarly) else { return false }
        if let failure = state.ending {
            if needsNewIdentity, let identity { take(identity) }
            if failure.category == .outcomeUnknown {
                resource = nil
                if !isAutomatic { tries.acceptsPage = true }
            }
            (tries.network, tries.server, tries.authentication) = (0, 0, 0)
            start = nil
        } else if state == .queued {
            start = nil
        }
        state = .queued
        return true
    }

    /// Sets the version of the file that the upload sends. If this version is new, the file is sent from its beginning.
    mutating func take(_ identity: FileIdentity) {
        guard identity != self.identity else { return }
        // Bytes of another version of the file must not be mixed with those on the server.
        resource = nil
        self.identity = identity
        tries.changes = tries.changes.increased
    }

    /// Applies the policy `onUncertain` to a held or waiting upload whose outcome is unknown.
    mutating func decide(by policy: QueueRetryPolicy) -> Bool {
        switch (state, policy.onUncertain) {
        case (.held(let failure), .fail), (.waiting(_, let failure), .fail):
            guard failure.category == .outcomeUnknown else { return false }
            state = .failed(failure)
            return true
        case (.held, .retry) where isUncertain && tries.uncertain <= policy.serverTries:
            return retry(identity: nil, startsEarly: false, isAutomatic: true)
        case (.waiting(_, let failure), .hold) where failure.category == .outcomeUnknown:
            state = .held(failure)
            return true
        case (.queued, _), (.running, _), (.waiting, _), (.paused, _), (.held, _), (.done, _), (.failed, _):
            return false
        }
    }

    mutating func loseLink() -> Bool {
        guard case .running = state else { return false }
        state = .paused(.offline)
        return true
    }

    /// Ends what `regainHost` ends, and a wait after a captive portal or for an unreachable source of credentials. Call
    /// this when the network has returned or changed, or when a user wants to try without one.
    mutating func regainLink() -> Bool {
        if case .waiting(_, let failure) = state, [.signInPage, .signInAway].contains(failure.category) {
            state = .queued
            return true
        }
        return regainHost()
    }

    /// Ends a pause for lack of a network, and a wait for a retry after a network failure. A pause by a user stays.
    mutating func regainHost() -> Bool {
        switch state {
        case .paused(let reasons) where reasons.contains(.offline):
            state = .paused(ifAny: reasons.subtracting(.offline))
            return true
        case .waiting(_, let failure) where failure.category.isOfNetwork:
            state = .queued
            return true
        case .queued, .running, .waiting, .paused, .held, .done, .failed:
            return false
        }
    }

    /// Undoes a change of the upload from `before` to `after`, except for values that changed again later.
    mutating func takeBack(from after: Upload, to before: Upload) {
        if rank == after.rank { rank = before.rank }
        if identity == after.identity { identity = before.identity }
        takeBack(from: after.state, to: before.state)
        if resource == after.resource { resource = before.resource }
        if tries == after.tries { tries = before.tries }
        if start == after.start { start = before.start }
    }

    /// Undoes a change of the state from `before` to `after`. If the state has changed again, undoes only a pause or a
    /// resume by the user.
    mutating func takeBack(from after: State, to before: State) {
        if state == after {
            state = before
        } else if before.isPausedByUser != after.isPausedByUser {
            takeBackPause(before.isPausedByUser)
        }
    }

    private mutating func takeBackPause(_ isPausedByUser: Bool) {
        var reasons: PauseReasons
        switch state {
        case .queued: reasons = []
        case .paused(let known): reasons = known
        case .running, .waiting, .held, .done, .failed: return
        }
        if isPausedByUser { reasons.insert(.user) } else { reasons.remove(.user) }
        state = .paused(ifAny: reasons)
    }

    /// Adjusts an upload that was loaded from disk or is put back, without its attempt.
    mutating func recover() {
        switch state {
        case .running: state = .queued
        case .paused(let reasons) where reasons.contains(.offline):
            state = .paused(ifAny: reasons.subtracting(.offline))
        case .queued, .waiting, .paused, .held, .done, .failed: break
        }
    }
}
