import FerryTransfer

/// Files that may still be written: which of them have been unchanged for long enough, and when to check the next one.
///
/// An event of a file is only a reason to check it: the program that closed or renamed the file may write again, or
/// another may have it open. A file has settled if two checks, far enough apart, find the same version.
package struct StabilityTracker<Instant: InstantProtocol> where Instant.Duration == Duration {
    private enum Sight {
        /// An event came since the last check.
        case noticed
        case seen(FileIdentity, since: Instant)
    }

    private let settle: Duration
    private var sights: [LocalPath: Sight] = [:]
    private var looks = DeadlineQueue<LocalPath, Instant>()

    /// - Parameter settle: The time for which a file must be unchanged.
    package init(settle: Duration) { self.settle = settle }

    /// The number of files that have not settled.
    package var count: Int { sights.count }

    package func contains(_ path: LocalPath) -> Bool { sights[path] != nil }

    /// Returns when to check next; the files are `due` then.
    package mutating func nextLook() -> Instant? { looks.nextInstant() }

    /// Notes an event of a file, or that it was found: the file must be checked now.
    package mutating func notice(_ path: LocalPath, at now: Instant) {
        sights[path] = .noticed
        looks.wait(path, until: now)
    }

    /// Returns the files to check. Report the result of each with `saw`, `isInUse` or `forget`.
    package mutating func due(at now: Instant) -> [LocalPath] { looks.due(at: now) }

    /// Processes the result of a check.
    ///
    /// - Returns: True if the file has settled.
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

    /// Notes that the file has been unchanged for long enough, but a process has it open for writing, or it cannot be
    /// read now.
    package mutating func isInUse(_ path: LocalPath, at now: Instant) {
        looks.wait(path, until: now.advanced(by: max(settle, .seconds(1))))
    }

    /// Returns for how long the file has been unchanged; nil if unknown.
    package func stillness(of path: LocalPath, at now: Instant) -> Duration? {
        guard case .seen(_, let since) = sights[path] else { return nil }
        return since.duration(to: now)
    }

    /// Forgets a file that was passed on, or is missing.
    package mutating func forget(_ path: LocalPath) {
        sights[path] = nil
        looks.forget(path)
    }
}
