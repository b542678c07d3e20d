import FerryTransfer

/// A tracker of files that are possibly still being written. For each file, it stores since when the file is unchanged,
/// and when the next check is due.
///
/// An event of a file is only a reason to check it: the program that closed or renamed the file may write again, or
/// another program may have it open. A file has settled if two checks, at least the time `settle` apart, find the same
/// version.
package struct StabilityTracker<Instant: InstantProtocol> where Instant.Duration == Duration {
    private enum Sight {
        /// An event or a scan has reported the file since the last check.
        case noticed
        case seen(FileIdentity, since: Instant)
    }

    private let settle: Duration
    private var sights: [LocalPath: Sight] = [:]
    private var looks = DeadlineQueue<LocalPath, Instant>()

    /// - Parameter settle: The time for which a file must be unchanged.
    package init(settle: Duration) { self.settle = settle }

    /// The number of files that the tracker still checks: not settled, open for writing, or not readable.
    package var count: Int { sights.count }

    package func contains(_ path: LocalPath) -> Bool { sights[path] != nil }

    /// Returns the time of the next check, at which `due` returns files; nil if no file waits for a check.
    package mutating func nextLook() -> Instant? { looks.nextInstant() }

    /// Records an event of a file, or that a scan found it. The next check of the file is then due at `now`.
    package mutating func notice(_ path: LocalPath, at now: Instant) {
        sights[path] = .noticed
        looks.wait(path, until: now)
    }

    /// Returns the files to check. Report the result of each with `saw`, `isInUse` or `forget`.
    package mutating func due(at now: Instant) -> [LocalPath] { looks.due(at: now) }

    /// Processes a check that found this version of a file.
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

    /// Records that the file has been unchanged for long enough, but that a process has it open for writing, or that it
    /// cannot be read. It is checked again later.
    package mutating func isInUse(_ path: LocalPath, at now: Instant) {
        looks.wait(path, until: now.advanced(by: max(settle, .seconds(1))))
    }

    /// Returns for how long the file has been unchanged; nil if unknown.
    package func stillness(of path: LocalPath, at now: Instant) -> Duration? {
        guard case .seen(_, let since) = sights[path] else { return nil }
        return since.duration(to: now)
    }

    /// Forgets a file that was reported or is missing.
    package mutating func forget(_ path: LocalPath) {
        sights[path] = nil
        looks.forget(path)
    }
}
