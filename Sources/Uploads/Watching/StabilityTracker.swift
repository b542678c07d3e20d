import FerryTransfer

/// Files that may still be written: which of them have kept still for long enough, and when to look at the next one.
///
/// What the system tells of a file is only a reason to look at it: whoever closed or renamed it may go on, or another may
/// have it open. Still is what two looks find the same, so far apart.
package struct StabilityTracker<Instant: InstantProtocol> where Instant.Duration == Duration {
    private enum Sight {
        /// An event came since it was last looked at.
        case noticed
        case seen(FileIdentity, since: Instant)
    }

    private let settle: Duration
    private var sights: [LocalPath: Sight] = [:]
    private var looks = DeadlineQueue<LocalPath, Instant>()

    /// - Parameter settle: For so long a file has to be the same.
    package init(settle: Duration) { self.settle = settle }

    /// The number of files that have not settled.
    package var count: Int { sights.count }

    package func contains(_ path: LocalPath) -> Bool { sights[path] != nil }

    /// Returns when to look next, at the files that are `due` then.
    package mutating func nextLook() -> Instant? { looks.nextInstant() }

    /// Notes an event of a file, or that it was found: it is to be looked at now.
    package mutating func notice(_ path: LocalPath, at now: Instant) {
        sights[path] = .noticed
        looks.wait(path, until: now)
    }

    /// The files to look at; of each one is to be said what was found, by `saw`, `isInUse` or `forget`.
    package mutating func due(at now: Instant) -> [LocalPath] { looks.due(at: now) }

    /// Takes the result of a look.
    ///
    /// - Returns: True if it has settled.
    package mutating func saw(_ path: LocalPath, _ identity: FileIdentity, at now: Instant) -> Bool {
        guard case .seen(identity, let since) = sights[path] else {
            sights[path] = .seen(identity, since: now)
            looks.wait(path, until: now.advanced(by: settle))
            return false
        }
        guard since.duration(to: now) >= settle else {
            looks.wait(path, until: since.advanced(by: settle))
            return false
        }
        return true
    }

    /// Notes that the file has been the same for long enough, and somebody has it open to write to it, or it cannot be
    /// read now.
    package mutating func isInUse(_ path: LocalPath, at now: Instant) {
        looks.wait(path, until: now.advanced(by: max(settle, .seconds(1))))
    }

    /// Returns for how long the file has been as it is; nil if that is not known.
    package func stillness(of path: LocalPath, at now: Instant) -> Duration? {
        guard case .seen(_, let since) = sights[path] else { return nil }
        return since.duration(to: now)
    }

    /// Forgets a file that was handed on, or is not there.
    package mutating func forget(_ path: LocalPath) {
        sights[path] = nil
        looks.forget(path)
    }
}
