import Synchronization

/// The memory of all lists of folders (`PROPFIND`) that are being made or sent.
final class ListMemory: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    /// - Parameter limit: The maximum number of bytes of all lists together.
    init(limit: Int) { self.limit = limit }

    /// Counts bytes of a list. If they do not fit, returns false and counts nothing.
    func take(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard bytes <= limit - used else { return false }
            used += bytes
            return true
        }
    }

    /// Removes the bytes of a list from the count, after it was sent or dropped.
    func giveBack(_ bytes: Int) { used.withLock { $0 -= bytes } }
}
