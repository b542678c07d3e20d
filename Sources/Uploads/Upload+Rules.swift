import FerryFiles
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

    /// Returns whether the upload still waits for the same retry as before. `before` is the earlier value of the
    /// upload, and both states must be `waiting` with the same end time.
    func isWait(of before: Upload) -> Bool {
        if case .waiting(let until, _) = self, case .waiting(until, _) = before.state { true } else { false }
    }

    /// True if the upload is done, failed or held.
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

    /// True if the upload failed, or is held for a user's decision, because it is unknown whether the server has stored
    /// the file.
    public var isUncertain: Bool { state.ending?.category == .outcomeUnknown }

    /// True if the server possibly stores two copies of the file. An earlier attempt sent the whole file but got no
    /// response. Then the queue sent the file again, or will send it again.
    public var mayBeDuplicate: Bool { tries.uncertain > (isUncertain ? 1 : 0) }

    /// True if the upload failed, or is held for a user's decision, because its file changed or could not be read. A
    /// retry must then look up the current version of the file.
    var needsNewIdentity: Bool {
        state.ending.map { [.sourceChanged, .sourceUnreadable].contains($0.category) } ?? false
    }
}

extension Upload.Tries {
    /// Adds to `resent` the number of bytes that were sent after the first `confirmed` bytes of the file, because the
    /// next attempt sends them again. Then sets `sent` to 0.
    mutating func countResent(after confirmed: ByteCount) {
        resent += max(0, sent - confirmed)
        sent = 0
    }

    /// Stores in `sent` the number of bytes of the file that an attempt had sent when it ended. A higher number from an
    /// earlier attempt stays. But a number that was stored during this attempt is replaced, because it can include
    /// bytes that never left this machine.
    ///
    /// If the attempt was to resume, but the server reported no offset, this function first adds the bytes that were
    /// sent again to `resent`.
    mutating func countSent(_ bytes: ByteCount, by run: RunTable.Run) {
        if run.unasked != nil, bytes > run.confirmed { countResent(after: run.confirmed) }
        sent = max(run.hasNotedSent ? 0 : sent, bytes)
    }
}

/// The changes of one upload by commands of users, by the network and by the retry policy. These functions only compute
/// the new state, without a clock, disk or network. A function that returns `Bool` returns true if it changed the
/// upload.
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

    /// Ends the pause by the user. If the upload is also paused because there is no network, it stays paused. Returns
    /// false if the user had not paused it.
    mutating func resume() -> Bool {
        guard case .paused(let reasons) = state, reasons.contains(.user) else { return false }
        state = .paused(ifAny: reasons.subtracting(.user))
        return true
    }

    /// Queues the upload again if it failed, is held for a user's decision, or waits for a retry. Also queues an upload
    /// that is paused only because there is no network.
    ///
    /// If the upload failed or is held, its start condition is removed. Its counts of network failures, server refusals
    /// and rejected credentials return to 0. If it is unknown whether the server has stored the file, the upload starts
    /// again from its beginning.
    ///
    /// - Parameters:
    ///   - identity: The current version of the file. It is used if the upload failed or is held because the file
    ///     changed or could not be read. If it is nil, the upload keeps its version.
    ///   - startsEarly: Whether a queued upload loses its start condition, so that it can start now.
    ///   - isAutomatic: False if a user chose the retry.
    mutating func retry(identity: FileIdentity?, startsEarly: Bool, isAutomatic: Bool = false) -> Bool {
        switch state {
        case .failed(let failure), .held(let failure):
            if needsNewIdentity, let identity { take(identity) }
            if failure.category == .outcomeUnknown {
                resource = nil
                if !isAutomatic { tries.acceptsPage = true }
            }
            (tries.network, tries.server, tries.authentication) = (0, 0, 0)
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

    /// Sets the version of the file that the upload sends. If this version is new, the file is sent from its beginning.
    mutating func take(_ identity: FileIdentity) {
        guard identity != self.identity else { return }
        // Bytes of another version of the file must not be mixed with those on the server.
        resource = nil
        self.identity = identity
        tries.changes = tries.changes.increased
    }

    /// Applies the policy `onUncertain` to a held or waiting upload if it is unknown whether the server has stored the
    /// file. The policy possibly changed since the attempt failed. Depending on the policy, the upload becomes failed,
    /// held or queued, or does not change.
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

    /// Ends a pause that was caused by a missing network. Also ends a wait for a retry after a network failure, a
    /// captive portal or an unreachable source of credentials. The upload is then queued; if a user also paused it, it
    /// stays paused. Call this when the network has returned or changed, or when a user wants to try in spite of a
    /// missing network.
    mutating func regainLink() -> Bool {
        if case .waiting(_, let failure) = state, [.signInPage, .signInAway].contains(failure.category) {
            state = .queued
            return true
        }
        return regainHost()
    }

    /// Ends a pause that was caused by a missing network. Also ends a wait for a retry after a network failure. The
    /// upload is then queued; if a user also paused it, it stays paused. Call this when the upload's host is possibly
    /// reachable again.
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

    /// Undoes a change of the upload, from `before` to `after`. A value that was changed again later is not undone. If
    /// the state was changed again later, only a pause or a resume by the user is undone.
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

    /// Adds or removes the user's pause of a queued or paused upload. If the upload is also paused for lack of a
    /// network, that reason stays.
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

    /// Adjusts the state of an upload that was loaded from disk or is put back into the queue. A running upload is
    /// queued again, because its attempt has ended. A pause that was caused by a missing network ends, because the
    /// network has possibly returned. A pause by a user stays.
    mutating func recover() {
        switch state {
        case .running: state = .queued
        case .paused(let reasons) where reasons.contains(.offline):
            state = .paused(ifAny: reasons.subtracting(.offline))
        case .queued, .waiting, .paused, .held, .done, .failed: break
        }
    }
}
