import HeapModule

/// A priority queue of ids by the instants that they wait for. An entry that has become wrong stays in the heap until
/// it is the first, so no change searches the heap.
struct DeadlineQueue<ID: Hashable & Sendable, Instant: Comparable & Sendable> {
    private struct Entry: Comparable {
        var instant: Instant
        var id: ID
        var version: Int

        static func < (left: Entry, right: Entry) -> Bool { left.instant < right.instant }
    }

    private var heap = Heap<Entry>()
    private var current: [ID: (version: Int, instant: Instant)] = [:]
    private var lastVersion = 0

    mutating func wait(_ id: ID, until instant: Instant) {
        lastVersion += 1
        current[id] = (lastVersion, instant)
        heap.insert(Entry(instant: instant, id: id, version: lastVersion))
    }

    mutating func forget(_ id: ID) { current[id] = nil }

    var ids: some Sequence<ID> { current.keys }

    func instant(of id: ID) -> Instant? { current[id]?.instant }

    mutating func nextInstant() -> Instant? {
        dropStale()
        return heap.min?.instant
    }

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
