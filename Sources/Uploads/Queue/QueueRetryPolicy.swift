public import FerryProtocols

/// The rules for the delay after a failure, and for when to stop retrying.
public struct QueueRetryPolicy: Hashable, Codable, Sendable {
    /// The upper bound of the random delay before the first retry, in seconds. It doubles with each failure in a row.
    public var base: Double
    /// The highest upper bound of the random delay, in seconds. A server can ask for a longer delay.
    public var cap: Double
    /// The number of temporary refusals in a row (408, 425, 429, most of 5xx) that are retried; one more fails the
    /// upload. A 429 or 503 with `Retry-After` never fails it. With `OnUncertain.retry`, also the limit on sending a
    /// file again after a missing response.
    public var serverTries: Int
    /// The delay in seconds from which a server's `Retry-After` holds the upload until a user decides.
    public var timeout: Double
    /// The treatment of an upload whose file changed.
    public var whenFileChanges: FileChangePolicy

    /// The treatment of an upload when it is unknown whether the server has stored the file.
    public var onUncertain: OnUncertain

    /// The treatment of an upload whose whole body was sent, but whose outcome is unknown and cannot be asked for.
    public enum OnUncertain: String, Hashable, Codable, Sendable, CaseIterable {
        /// The upload is sent again, at the risk of a second copy on the server.
        case retry
        /// The upload is held until a user decides.
        case hold
        /// The upload fails.
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

    /// The maximum number of restarts because the file changed. It is possibly still being written.
    static let restartLimit = 3

    /// The longest random delay, in seconds, while the server has locked the upload for an earlier request. It takes
    /// the lock from a stalled request after 20 s (tusd 2.9.2) or 30 s (@tus/server 2.4.3, tuspyserver 4.4.3).
    static let longestLockedWait = 15.0

    /// Returns how many seconds of a delay are left at `now`. `until` is its recorded end. The bounds protect against
    /// wrong values in the queue's file, and against a wall clock that was set back.
    func remaining(of delay: Double, until: Date, now: Date) -> Double {
        let longest = min(max(cap, timeout), 366 * 86_400)
        let drawn = delay.isFinite ? delay : cap
        let left = until.timeIntervalSince(now)
        return max(0, min(left.isFinite ? left : drawn, drawn, longest))
    }

    /// The decision about an upload whose attempt failed.
    public enum Decision: Hashable, Sendable {
        /// Retry after this many seconds.
        case wait(Double)
        /// Restart at once with the current version of the file.
        case restart
        /// Retry at once.
        case again
        /// Hold the upload: a user must decide.
        case hold(UploadFailure)
        /// Fail the upload: a retry cannot help.
        case fail(UploadFailure)
    }

    /// Decides how the upload continues after `failure`, and updates the counts and the delay in `tries`.
    ///
    /// Failures of the network and of a file's volume are retried without limit, with growing delays. If the attempt
    /// sent enough bytes before the connection broke, the next attempt follows almost at once.
    public func decide(
        after failure: UploadFailure, tries: inout Upload.Tries, movement: AttemptMovement = .none,
        random: (ClosedRange<Double>) -> Double = { .random(in: $0) }
    ) -> Decision {
        switch failure.category {
        case .network, .timedOut:
            return decide(afterBreak: failure, movement, tries: &tries, random: random)
        case .signInAway, .sourceAway, .uploadLocked:
            tries.network = tries.network.increased
            return wait(
                after: tries.network, asked: failure.retryAfter,
                upTo: failure.category == .uploadLocked ? Self.longestLockedWait : .infinity, tries: &tries,
                random: random)
        case .storage:
            tries.delay = 5
            return .wait(5)
        case .addressLost: return .again
        case .signInPage:
            tries.delay = StartPause.portalInterval / .seconds(1)
            return .wait(tries.delay)
        case .descriptors:
            // Other requests must end first. The upload is not the cause, so no try is counted.
            tries.delay = random(1...2)
            return .wait(tries.delay)
        case .server: return decide(afterRefusal: failure, tries: &tries, random: random)
        case .authentication:
            tries.authentication = tries.authentication.increased
            return .hold(failure)
        case .sourceChanged:
            guard whenFileChanges == .restart else { return .hold(failure) }
            guard tries.changes >= Self.restartLimit else { return .restart }
            var held = failure
            held.summary += " (\(tries.changes + 1) changes)"
            return .hold(held)
        case .outcomeUnknown:
            tries.uncertain = tries.uncertain.increased
            return decide(afterUncertain: failure, tries: &tries, random: random)
        case .permanent, .destinationChanged, .sourceUnreadable:
            return .fail(failure)
        }
    }

    private func decide(
        afterRefusal failure: UploadFailure, tries: inout Upload.Tries,
        random: (ClosedRange<Double>) -> Double
    ) -> Decision {
        tries.server = tries.server.increased
        // The limit on tries does not apply to a server that sends 429 or 503 with Retry-After.
        guard tries.server <= serverTries || failure.asksAllToWait else {
            var final = failure
            final.summary += " (\(serverTries) tries)"
            final.hint = final.hint ?? "retry when the server is well again"
            return .fail(final)
        }
        guard let asked = failure.retryAfter else {
            return wait(after: tries.server, asked: nil, tries: &tries, random: random)
        }
        if asked >= timeout {
            var held = failure
            held.summary +=
                asked < 7200
                ? "; it asks to wait for \(Int(asked / 60)) minutes"
                : "; it asks to wait for \(Int(asked / 3600)) h or more"
            held.hint = "retry when that time is over, or remove it"
            return .hold(held)
        }
        // With 429 and 503, the server states how long it is busy. Any other Retry-After is a lower bound.
        guard failure.asksAllToWait else {
            return wait(after: tries.server, asked: asked, tries: &tries, random: random)
        }
        tries.delay = asked
        return .wait(asked)
    }

    /// The number of failures in a row after which quick retries end, for a server that breaks every connection.
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
        tries.network = tries.network.increased
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

    /// Decides about an upload whose response is missing. Each attempt has possibly stored a copy of the file.
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

    /// Returns the decision to wait, and stores the delay. `count` failures in a row determine the upper bound of the
    /// random delay, and `longest` limits it. `asked` by the server can be longer.
    private func wait(
        after count: Int, asked: Double?, upTo longest: Double = .infinity, tries: inout Upload.Tries,
        random: (ClosedRange<Double>) -> Double
    ) -> Decision {
        let ceiling = min(self.ceiling(after: count), longest)
        // The minimum of a tenth keeps several short delays in a row from flooding a server.
        let drawn = random(ceiling / 10...max(0.001, ceiling))
        tries.delay = max(drawn, asked ?? 0)
        return .wait(tries.delay)
    }

    private func ceiling(after count: Int) -> Double {
        var ceiling = base
        for _ in 1..<max(2, min(count, 64)) where ceiling < cap && count > 1 { ceiling *= 2 }
        return min(ceiling, cap)
    }
}

extension Int {
    /// The next number of a count. The limit keeps a wrong count in a queue's file from overflowing.
    var increased: Int { Swift.min(self, 1_000_000) + 1 }
}

/// The treatment of an upload whose file changed after it was queued.
public enum FileChangePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The upload is held until a user decides.
    case hold
    /// The current version is sent from its beginning. After three such restarts, another change holds the upload.
    case restart
}
