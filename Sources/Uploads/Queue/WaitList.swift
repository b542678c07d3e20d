import HeapModule

/// Uploads that wait for a moment, by a clock that no one can set. Entries go stale instead of being searched for.
struct WaitList<Instant: InstantProtocol> {
    private struct Entry: Comparable {
        var instant: Instant
        var id: Upload.ID
        var version: Int

        static func < (left: Entry, right: Entry) -> Bool { left.instant < right.instant }
    }

    private var heap = Heap<Entry>()
    private var versions: [Upload.ID: Int] = [:]
    private var lastVersion = 0

    /// Waits for `instant`; an earlier wait of the same upload is forgotten.
    mutating func wait(_ id: Upload.ID, until instant: Instant) {
        lastVersion += 1
        versions[id] = lastVersion
        heap.insert(Entry(instant: instant, id: id, version: lastVersion))
    }

    mutating func forget(_ id: Upload.ID) { versions[id] = nil }

    /// The first moment at which something is due.
    mutating func nextInstant() -> Instant? {
        dropStale()
        return heap.min?.instant
    }

    /// Takes out everything due at `now`.
    mutating func due(at now: Instant) -> [Upload.ID] {
        var ids: [Upload.ID] = []
        while dropStale(), let first = heap.min, first.instant <= now {
            heap.removeMin()
            versions[first.id] = nil
            ids.append(first.id)
        }
        return ids
    }

    @discardableResult
    private mutating func dropStale() -> Bool {
        while let first = heap.min, versions[first.id] != first.version { heap.removeMin() }
        return true
    }
}
