import FerryTransfer

/// A tracker of files that programs are possibly still writing.
///
/// A file has settled if checks at least `settle` apart find the same version. An event, such as the closing of the
/// file, only causes a check, because a program can write to the file again.
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

    package var count: Int { sights.count }

    package func contains(_ path: LocalPath) -> Bool { sights[path] != nil }

    package mutating func nextLook() -> Instant? { looks.nextInstant() }

    /// Records that an event or a scan has reported a file, which must be checked at once.
    package mutating func notice(_ path: LocalPath, at now: Instant) {
        sights[path] = .noticed
        looks.wait(path, until: now)
    }

    /// Returns the files that must be checked now. The caller then calls `saw`, `isInUse` or `forget`.
    package mutating func due(at now: Instant) -> [LocalPath] { looks.due(at: now) }

    /// Records that a check found a file in this version. Returns true if it has settled; otherwise plans a check.
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

    /// Records that a settled file is not ready, and plans the next check, at least one second later.
    package mutating func isInUse(_ path: LocalPath, at now: Instant) {
        looks.wait(path, until: now.advanced(by: max(settle, .seconds(1))))
    }

    /// Returns for how long a file has been unchanged; nil if it was not checked since the last event or scan.
    package func stillness(of path: LocalPath, at now: Instant) -> Duration? {
        guard case .seen(_, let since) = sights[path] else { return nil }
        return since.duration(to: now)
    }

    package mutating func forget(_ path: LocalPath) {
        sights[path] = nil
        looks.forget(path)
    }
}
