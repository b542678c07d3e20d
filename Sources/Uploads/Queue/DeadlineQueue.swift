import HeapModule

/// The moments that waiters wait for, by a clock that no one can set. Entries go stale instead of being searched for.
struct DeadlineQueue<ID: Hashable & Sendable, Instant: InstantProtocol> {
    private struct Entry: Comparable {
        var instant: Instant
        var id: ID
        var version: Int

        static func < (left: Entry, right: Entry) -> Bool { left.instant < right.instant }
    }

    private var heap = Heap<Entry>()
    private var current: [ID: (version: Int, instant: Instant)] = [:]
    private var lastVersion = 0

    /// Waits for `instant`; an earlier wait of the same is forgotten.
    mutating func wait(_ id: ID, until instant: Instant) {
        lastVersion += 1
        current[id] = (lastVersion, instant)
        heap.insert(Entry(instant: instant, id: id, version: lastVersion))
    }

    mutating func forget(_ id: ID) { current[id] = nil }

    /// All that wait, in no order.
    var ids: some Sequence<ID> { current.keys }

    /// Returns the instant that it waits for; nil if it does not wait.
    func instant(of id: ID) -> Instant? { current[id]?.instant }

    /// The first moment at which something is due.
    mutating func nextInstant() -> Instant? {
        dropStale()
        return heap.min?.instant
    }

    /// Takes out everything due at `now`.
    mutating func due(at now: Instant) -> [ID] {
        var ids: [ID] = []
        while dropStale(), let first = heap.min, first.instant <= now {
            heap.removeMin()
            current[first.id] = nil
            ids.append(first.id)
        }
        return ids
    }

    @discardableResult
    private mutating func dropStale() -> Bool {
        while let first = heap.min, current[first.id]?.version != first.version { heap.removeMin() }
        return true
    }
}
