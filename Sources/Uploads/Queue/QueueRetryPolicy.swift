import FerryFiles
public import FerryProtocols

/// The rules for the delay after a failure, and for when to stop retrying. A decision depends only on the policy and on
/// the arguments of `decide`.
public struct QueueRetryPolicy: Hashable, Codable, Sendable {
    /// The upper bound of the random delay before the first retry, in seconds. The bound doubles with each failure in a
    /// row, until it reaches `cap`.
    public var base: Double
    /// The highest value to which the upper bound of the random delay grows, in seconds. A server can ask for a longer
    /// delay.
    public var cap: Double
    /// The number of temporary refusals in a row (408, 425, 429, most of 5xx) that are retried. One more refusal fails
    /// the upload. A 429 or 503 with `Retry-After` never fails the upload. With `OnUncertain.retry`, the number also
    /// limits how often a file is sent again after a missing response.
    public var serverTries: Int
    /// The limit, in seconds, on the delay that a server can ask for with a temporary refusal (`Retry-After`). If a
    /// server asks for this delay or a longer one, the upload is held until a user decides.
    public var timeout: Double
    /// The treatment of an upload whose file changed.
    public var whenFileChanges: FileChangePolicy

    /// The treatment of an upload when it is unknown whether the server has stored the file.
    public var onUncertain: OnUncertain

    /// The treatment of an upload whose outcome is unknown. The whole body was sent, but no response came, or a captive
    /// portal possibly sent the response. The protocol has no request that asks for the outcome.
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

    /// The maximum number of restarts of an upload because its file changed. At the next change, the upload is held and
    /// a user must decide, because the file is possibly still being written.
    static let restartLimit = 3

    /// The longest random delay, in seconds, before the retry of an upload that the server has locked for an earlier
    /// request. Longer delays are not needed: while a new request waits for the lock, the server takes the lock away
    /// from a stalled request. A request can wait 20 s at tusd 2.9.2, and 30 s at @tus/server 2.4.3 and tuspyserver
    /// 4.4.3.
    static let longestLockedWait = 15.0

    /// Returns how many seconds of a delay are left at `now`.
    ///
    /// The result is never more than `delay`, even if the wall clock was set back. It is also at most 366 days, and at
    /// most the longer of `cap` and `timeout`. These limits protect against wrong values in the queue's file.
    ///
    /// - Parameters:
    ///   - delay: The whole delay in seconds, as recorded when it began. If it is not finite, `cap` replaces it.
    ///   - until: The recorded wall-clock time at which the delay ends.
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

    /// Decides how the upload continues after `failure`, and updates the counts in `tries`.
    ///
    /// Failures of the network and of a file's volume are retried without limit, and the delays grow with each failure
    /// in a row. If the attempt sent enough bytes before the connection broke, the next attempt follows almost at once.
    ///
    /// - Parameters:
    ///   - tries: The counts of the upload's attempts and failures. A delay is also stored, in `tries.delay`.
    ///   - random: Returns a random number from a range. Random delays spread the retries of many uploads.
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
            // A retry needs a file descriptor, so other requests must end before it. The upload is not the cause, so no
            // try is counted.
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

    /// The number of failures in a row after which quick retries end. Until then, an attempt that sent bytes is retried
    /// quickly. Afterwards, the delay is as long as if it had sent none, so that a server that breaks every connection
    /// gets fewer requests.
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

    /// Decides about an upload whose response is missing, according to `onUncertain`: the upload is held, fails or is
    /// retried. The first retry follows at once, and later retries have growing delays. After `serverTries` retries,
    /// the upload is held, because each attempt has possibly stored another copy of the file.
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

    /// Returns the decision to wait, and stores the delay in `tries`. The delay is random, from a tenth of the upper
    /// bound to the whole bound. If the server asked for a longer delay (`asked`), this longer delay is used.
    ///
    /// - Parameters:
    ///   - count: The number of failures in a row, which determines the upper bound.
    ///   - asked: The delay that the server asked for, in seconds; nil if it asked for none.
    ///   - longest: The limit on the upper bound, in seconds. It does not limit `asked`.
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

    /// Returns the upper bound of the random delay after `count` failures in a row.
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
