import HeapModule

/// A priority queue of ids, sorted by the instant that each id waits for. When an id gets another instant or is
/// forgotten, its old entry stays in the heap until the entry is the first one. So a change never searches the heap.
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

    /// Adds `id`. If `id` is already waiting, its new instant replaces the old one.
    mutating func wait(_ id: ID, until instant: Instant) {
        lastVersion += 1
        current[id] = (lastVersion, instant)
        heap.insert(Entry(instant: instant, id: id, version: lastVersion))
    }

    mutating func forget(_ id: ID) { current[id] = nil }

    /// All waiting ids, unsorted.
    var ids: some Sequence<ID> { current.keys }

    func instant(of id: ID) -> Instant? { current[id]?.instant }

    mutating func nextInstant() -> Instant? {
        dropStale()
        return heap.min?.instant
    }

    /// Removes and returns all ids whose wait has ended at `now`.
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
