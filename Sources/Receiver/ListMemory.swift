import Synchronization

/// A counter for the bytes of all folder lists (`PROPFIND`) that the receiver is making or sending.
final class ListMemory: Sendable {
    private let limit: Int
    private let used = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Adds the bytes of a folder list to the counter. If the limit would be exceeded, adds nothing and returns false.
    func take(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard bytes <= limit - used else { return false }
            used += bytes
            return true
        }
    }

    /// Subtracts the bytes of a folder list from the counter, after the list was sent or dropped.
    func giveBack(_ bytes: Int) { used.withLock { $0 -= bytes } }
}
