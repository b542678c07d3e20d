import FerryTransfer

/// A tracker of files that programs are possibly still writing. For each file, it stores since when the file has been
/// unchanged, and when the file must be checked next.
///
/// A file has settled if two checks find the same version, and the time between the checks is at least `settle`. An
/// event from the system, such as the closing of the file, only causes a check. After the event, a program can write to
/// the file again.
package struct StabilityTracker<Instant: InstantProtocol> where Instant.Duration == Duration {
    private enum Sight {
        /// An event or a scan has reported the file since the last check.
        case noticed
        case seen(FileIdentity, since: Instant)
    }

    private let settle: Duration
    private var sights: [LocalPath: Sight] = [:]
    private var looks = DeadlineQueue<LocalPath, Instant>()

    /// - Parameter settle: The time for which a file must be unchanged until it has settled.
    package init(settle: Duration) { self.settle = settle }

    /// The number of files in the tracker. A file stays in the tracker until `forget` removes it.
    package var count: Int { sights.count }

    package func contains(_ path: LocalPath) -> Bool { sights[path] != nil }

    /// Returns the time when the next file must be checked; nil if no file waits for a check.
    package mutating func nextLook() -> Instant? { looks.nextInstant() }

    /// Records that an event or a scan has reported a file. The file must then be checked at once.
    package mutating func notice(_ path: LocalPath, at now: Instant) {
        sights[path] = .noticed
        looks.wait(path, until: now)
    }

    /// Returns the files that must be checked now. After the check of a file, the caller must call `saw`, `isInUse` or
    /// `forget` for this file.
    package mutating func due(at now: Instant) -> [LocalPath] { looks.due(at: now) }

    /// Records that a check found a file in the version `identity`. If the file has not settled yet, plans the next
    /// check.
    ///
    /// - Returns: True if the file has settled: it has been unchanged for at least the time `settle`.
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

    /// Records that a file has settled, but is not ready: a process has it open for writing, or the file cannot be
    /// read. Plans the next check, at least one second later.
    package mutating func isInUse(_ path: LocalPath, at now: Instant) {
        looks.wait(path, until: now.advanced(by: max(settle, .seconds(1))))
    }

    /// Returns for how long a file has been unchanged. Returns nil if an event or a scan has reported the file since
    /// the last check. Also returns nil if the tracker does not contain the file.
    package func stillness(of path: LocalPath, at now: Instant) -> Duration? {
        guard case .seen(_, let since) = sights[path] else { return nil }
        return since.duration(to: now)
    }

    /// Removes a file from the tracker, for example because it was handled or is missing.
    package mutating func forget(_ path: LocalPath) {
        sights[path] = nil
        looks.forget(path)
    }
}
