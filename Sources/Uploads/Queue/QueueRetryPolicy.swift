import FerryFiles
public import FerryProtocols

/// The rules for how long to wait after a failure, and when to stop trying. A pure function of what happened so far.
public struct QueueRetryPolicy: Hashable, Codable, Sendable {
    /// The longest first wait, in seconds.
    public var base: Double
    /// No wait drawn by us is longer, in seconds. A server may ask for more.
    public var cap: Double
    /// Refusals in a row ("not now") before a person must decide, by a server that does not say when to come again.
    public var serverTries: Int
    /// A server that asks for a longer wait than this, in seconds, gets a person to look at it.
    public var timeout: Double
    /// The treatment of an upload whose file changed.
    public var whenFileChanges: FileChangePolicy

    /// The treatment of an upload that may be at the server or not.
    public var onUncertain: OnUncertain

    /// The treatment of an upload whose whole body was sent and got no response, where the protocol has no way to ask.
    public enum OnUncertain: String, Hashable, Codable, Sendable, CaseIterable {
        /// Send it again, at the risk that it is there twice.
        case retry
        /// Wait for a person.
        case hold
        /// Give it up.
        case fail
    }

    public init(
        base: Double = 1, cap: Double = 120, serverTries: Int = 10, timeout: Double = 86_400,
        whenFileChanges: FileChangePolicy = .hold, onUncertain: OnUncertain = .hold
    ) {
        self.base = base
        self.cap = cap
        self.serverTries = serverTries
        self.timeout = timeout
        self.whenFileChanges = whenFileChanges
        self.onUncertain = onUncertain
    }

    /// A file that changed so often is still being written: a person must say when it is done.
    static let restartLimit = 3

    /// The longest wait for an upload that another request has, in seconds. tusd 2.9.2 waits 20 s for its lock,
    /// @tus/server 2.4.3 and tuspyserver 4.4.3 30 s, and each takes it from a request that stands still before that.
    static let longestLockedWait = 15.0

    /// Returns the rest of a wait that was written down, in seconds.
    ///
    /// Two clocks count: a wall clock that was set must neither end a wait nor stretch it. And no wait is longer than
    /// any that this policy gives, whatever the file says.
    ///
    /// - Parameter delay: The wait as it was drawn.
    func remaining(of delay: Double, until: Date, now: Date) -> Double {
        let longest = min(max(cap, timeout), 366 * 86_400)
        let drawn = delay.isFinite ? delay : cap
        let left = until.timeIntervalSince(now)
        return max(0, min(left.isFinite ? left : drawn, drawn, longest))
    }

    /// The decision about an upload whose attempt failed.
    public enum Decision: Hashable, Sendable {
        /// Try again after so many seconds.
        case wait(Double)
        /// Begin anew, at once, with the file as it is now.
        case restart
        /// Try again at once.
        case again
        /// A person must decide.
        case hold(UploadFailure)
        /// Trying again cannot help.
        case fail(UploadFailure)
    }

    /// Counts `failure` in `tries` and decides. Failures of the network and of a file's medium are tried for ever: the
    /// screen shows them, and each forward move resets their count. After an attempt that moved the next one follows at
    /// once; waits grow only while nothing moves.
    ///
    /// - Parameters:
    ///   - movement: What the attempt had moved.
    ///   - random: Draws from a range; full jitter spreads the waits of many uploads.
    public func decide(
        after failure: UploadFailure, tries: inout Upload.Tries, movement: AttemptMovement = .none,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Decision {
        switch failure.category {
        case .network, .timedOut:
            return decide(afterBreak: failure, movement, tries: &tries, random: random)
        case .signInAway, .sourceAway:
            tries.network = min(tries.network, 1_000_000) + 1
            return wait(
                after: tries.network, asked: failure.retryAfter, tries: &tries, random: random)
        case .uploadLocked:
            tries.network = min(tries.network, 1_000_000) + 1
            return wait(
                after: tries.network, asked: failure.retryAfter, upTo: Self.longestLockedWait, tries: &tries,
                random: random)
        case .storage:
            tries.delay = 5
            return .wait(5)
        case .addressLost: return .again
        case .signInPage:
            tries.delay = CaptivePortalBackoff<ContinuousClock.Instant>.interval / .seconds(1)
            return .wait(tries.delay)
        case .descriptors:
            // Others have to end first, and what they take is no matter of this upload's.
            tries.delay = random(1...2)
            return .wait(tries.delay)
        case .server:
            tries.server = min(tries.server, 1_000_000) + 1
            // A server that says when to come again is not given up.
            guard tries.server <= serverTries || failure.asksAllToWait else {
                var final = failure
                final.summary += " (\(serverTries) tries)"
                final.hint = final.hint ?? "retry when the server is well again"
                return .fail(final)
            }
            if let asked = failure.retryAfter, asked >= timeout {
                var held = failure
                held.summary += "; it asks to wait for \(Int(asked / 3600)) hours or more"
                held.hint = "retry when that time is over, or remove it"
                return .hold(held)
            }
            let wish = failure.retryAfter
            // Who is busy for all knows for how long; any other wish is a lower bound of waits that grow.
            if let wish, failure.asksAllToWait {
                tries.delay = wish
                return .wait(wish)
            }
            return wait(after: tries.server, asked: wish, tries: &tries, random: random)
        case .authentication:
            tries.authentication = min(tries.authentication, 1_000_000) + 1
            return .hold(failure)
        case .sourceChanged:
            guard whenFileChanges == .restart else { return .hold(failure) }
            guard tries.changes >= Self.restartLimit else { return .restart }
            var held = failure
            held.summary += " (\(tries.changes + 1) changes)"
            return .hold(held)
        case .outcomeUnknown:
            tries.uncertain = min(tries.uncertain, 1_000_000) + 1
            return decide(afterUncertain: failure, tries: &tries, random: random)
        case .permanent, .destinationChanged, .sourceUnreadable:
            return .fail(failure)
        }
    }

    /// The number of breaks in a row that may be followed sooner than the doubled waits, if each attempt moved
    /// something. A server that breaks every connection after the same few bytes is not tried so for ever.
    private static let quickBreaks = 16

    private func decide(
        afterBreak failure: UploadFailure, _ movement: AttemptMovement, tries: inout Upload.Tries,
        random: (ClosedRange<Double>) -> Double
    ) -> Decision {
        let least = min(base, 1) / 10
        if movement == .linkIsFresh {
            tries.delay = random(least...least * 2.5)
            return .wait(tries.delay)
        }
        tries.network = min(tries.network, 1_000_000) + 1
        let normal = ceiling(after: tries.network)
        let ceiling =
            switch movement {
            case .movedOn: least * 1.25
            case .moved(let seconds) where tries.network <= Self.quickBreaks:
                min(normal, max(base, seconds / 2))
            case .moved, .none, .linkIsFresh: normal
            }
        let floor = movement == .movedOn ? least : ceiling / 10
        tries.delay = max(random(floor...max(0.001, floor, ceiling)), failure.retryAfter ?? 0)
        return .wait(tries.delay)
    }

    /// The first time it is sent again at once. A server that never answers gets pauses, and not for ever: each time may
    /// have left a file there.
    private func decide(
        afterUncertain failure: UploadFailure, tries: inout Upload.Tries,
        random: (ClosedRange<Double>) -> Double
    ) -> Decision {
        switch onUncertain {
        case .hold: return .hold(failure)
        case .fail: return .fail(failure)
        case .retry:
            guard tries.uncertain <= serverTries else {
                var held = failure
                held.summary = "it was sent \(tries.uncertain) times and no answer came"
                return .hold(held)
            }
            guard tries.uncertain > 1 else { return .again }
            return wait(after: tries.uncertain, asked: nil, tries: &tries, random: random)
        }
    }

    /// Full jitter: anything between nothing and the doubled wait, but never less than the server asked for.
    private func wait(
        after count: Int, asked: Double?, upTo longest: Double = .infinity, tries: inout Upload.Tries,
        random: (ClosedRange<Double>) -> Double
    ) -> Decision {
        let ceiling = min(self.ceiling(after: count), longest)
        // A floor of a tenth keeps a run of small draws from hammering a server.
        let drawn = random(ceiling / 10...max(0.001, ceiling))
        tries.delay = max(drawn, asked ?? 0)
        return .wait(tries.delay)
    }

    /// The longest wait after so many failures in a row, in seconds.
    private func ceiling(after count: Int) -> Double {
        var ceiling = base
        for _ in 1..<max(2, min(count, 64)) where ceiling < cap && count > 1 { ceiling *= 2 }
        return min(ceiling, cap)
    }
}

/// The treatment of an upload whose file changed after it was queued.
public enum FileChangePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// A person must decide.
    case hold
    /// The file is sent as it is now, from its beginning; held after a few changes.
    case restart
}
