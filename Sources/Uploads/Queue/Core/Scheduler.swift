import HeapModule

/// Decides which queued uploads may start: the lowest rank first, within a limit in total and one per host. Pure.
///
/// Uploads that are stuck at one host do not keep those to other hosts waiting. Where the limit in total is reached, a
/// host at which nothing runs may have one upload in place of what is stuck elsewhere.
///
/// Entries are not taken out when an upload changes; `next` drops those that are no longer current. So every change
/// costs a logarithm, with a million uploads too.
struct Scheduler {
    struct Limits: Hashable, Sendable {
        var total: Int
        var perHost: Int
    }

    private struct Entry: Comparable {
        var rank: Int64
        var id: Upload.ID

        static func < (left: Entry, right: Entry) -> Bool { (left.rank, left.id) < (right.rank, right.id) }
    }

    private var heaps: [UploadHost: Heap<Entry>] = [:]

    /// Notes that `id` is ready to start. Noting it again, or under another rank, does no harm.
    mutating func enqueue(_ id: Upload.ID, rank: Int64, host: UploadHost) {
        heaps[host, default: Heap()].insert(Entry(rank: rank, id: id))
    }

    /// Notes many at once, which takes less time than one after the other.
    mutating func enqueue(_ ready: [(id: Upload.ID, rank: Int64)], host: UploadHost) {
        heaps[host, default: Heap()].insert(contentsOf: ready.lazy.map { Entry(rank: $0.rank, id: $0.id) })
    }

    /// Takes out the next upload that may start; nil if nothing may.
    ///
    /// - Parameters:
    ///   - limits: In places.
    ///   - running: How many places are taken at each host.
    ///   - stuck: How many of them by uploads that have not moved for long.
    ///   - isBlocked: Hosts that are not to be tried now.
    ///   - places: How many an upload takes; one that finds too few waits, and so do those behind it.
    ///   - isCurrent: Whether an upload still waits to start with this rank.
    mutating func next(
        limits: Limits, running: [UploadHost: Int], stuck: [UploadHost: Int] = [:],
        isBlocked: (UploadHost) -> Bool,
        places: (Upload.ID) -> Int = { _ in 1 }, isCurrent: (Upload.ID, Int64) -> Bool
    ) -> Upload.ID? {
        let taken = running.values.reduce(0, +)
        let allStuck = stuck.values.reduce(0, +)
        guard taken - allStuck < limits.total else { return nil }
        var best: (host: UploadHost, entry: Entry)?
        for host in Array(heaps.keys) where running[host, default: 0] < limits.perHost && !isBlocked(host) {
            while let first = heaps[host]?.min, !isCurrent(first.id, first.rank) { heaps[host]?.removeMin() }
            guard let first = heaps[host]?.min else {
                heaps[host] = nil
                continue
            }
            guard running[host, default: 0] + places(first.id) <= limits.perHost else { continue }
            let isIdle = running[host, default: 0] == 0
            // With room in total the order alone decides, and an upload that finds too little keeps its turn.
            guard taken < limits.total || isIdle && taken - allStuck + places(first.id) <= limits.total else {
                continue
            }
            if let known = best, known.entry < first { continue }
            best = (host, first)
        }
        guard let best else { return nil }
        guard taken >= limits.total || taken + places(best.entry.id) <= limits.total else { return nil }
        heaps[best.host]?.removeMin()
        return best.entry.id
    }

    /// True if uploads may wait for a host at which nothing runs.
    func waits(besides running: [UploadHost: Int]) -> Bool {
        heaps.contains { host, heap in !heap.isEmpty && running[host, default: 0] == 0 }
    }
}
