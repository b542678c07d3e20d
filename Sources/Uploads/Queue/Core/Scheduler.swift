import HeapModule

/// Decides which queued upload starts next: the one with the lowest rank, within limits on the shares of slots in all
/// and at each host.
///
/// Stuck uploads, which have sent no byte for some seconds, do not delay uploads to other hosts: at a host without
/// running uploads, the limit for all uploads ignores their shares.
///
/// When an upload changes, its old entry stays in the heap until it is the first. So every change takes logarithmic
/// time, even with a million uploads.
struct Scheduler {
    struct Limits: Hashable, Sendable {
        var total: Int
        var perHost: Int
        /// The number of shares in a slot.
        var slot = 1
    }

    private struct Entry: Comparable {
        var rank: Int64
        var id: Upload.ID

        static func < (left: Entry, right: Entry) -> Bool { (left.rank, left.id) < (right.rank, right.id) }
    }

    /// The upload of one host that can start next there, and the number of shares that it needs.
    private struct Candidate {
        let host: UploadHost
        let entry: Entry
        let shares: Int

        func earlier(than other: Candidate?) -> Candidate {
            if let other, other.entry < entry { other } else { self }
        }
    }

    private var heaps: [UploadHost: Heap<Entry>] = [:]

    /// Notes that `id` is ready to start. A repeated call does no harm.
    mutating func enqueue(_ id: Upload.ID, rank: Int64, host: UploadHost) {
        heaps[host, default: Heap()].insert(Entry(rank: rank, id: id))
    }

    /// Notes that many uploads are ready to start. One call is faster than a call for each upload.
    mutating func enqueue(_ ready: [(id: Upload.ID, rank: Int64)], host: UploadHost) {
        heaps[host, default: Heap()].insert(contentsOf: ready.lazy.map { Entry(rank: $0.rank, id: $0.id) })
    }

    /// Removes and returns the next upload that can start.
    ///
    /// - Parameters:
    ///   - running: The number of shares that running uploads occupy at each host, also those that are `stuck`.
    ///   - places: Returns the number of shares that an upload needs at a host. It is not overtaken if too few are free.
    ///   - isCurrent: Returns whether an upload still waits to start with this rank.
    mutating func next(
        limits: Limits, running: [UploadHost: Int], stuck: [UploadHost: Int] = [:],
        isBlocked: (UploadHost) -> Bool,
        places: (Upload.ID, UploadHost) -> Int = { _, _ in 1 }, isCurrent: (Upload.ID, Int64) -> Bool
    ) -> Upload.ID? {
        let taken = running.values.reduce(0, +)
        let allStuck = stuck.values.reduce(0, +)
        guard taken - allStuck < limits.total else { return nil }
        var first: Candidate?
        var replacement: Candidate?
        for host in Array(heaps.keys) where running[host, default: 0] < limits.perHost && !isBlocked(host) {
            while let entry = heaps[host]?.min, !isCurrent(entry.id, entry.rank) { heaps[host]?.removeMin() }
            guard let entry = heaps[host]?.min else {
                heaps[host] = nil
                continue
            }
            let candidate = Candidate(host: host, entry: entry, shares: places(entry.id, host))
            guard running[host, default: 0] + candidate.shares <= limits.perHost else { continue }
            if taken < limits.total { first = candidate.earlier(than: first) }
            if allStuck > 0, running[host, default: 0] == 0,
                taken - allStuck + candidate.shares <= limits.total
            {
                replacement = candidate.earlier(than: replacement)
            }
        }
        // Below the total limit, no upload overtakes one that needs more shares than are free, except stuck ones.
        guard let next = first.flatMap({ taken + $0.shares <= limits.total ? $0 : nil }) ?? replacement else {
            return nil
        }
        heaps[next.host]?.removeMin()
        return next.entry.id
    }

    /// True if an upload possibly waits at the host. Old entries of changed uploads count too.
    func waits(at host: UploadHost) -> Bool { heaps[host]?.isEmpty == false }

    /// True if an upload possibly waits at a host at which none runs. Old entries of changed uploads count too.
    func waits(besides running: [UploadHost: Int]) -> Bool {
        heaps.contains { host, heap in !heap.isEmpty && running[host, default: 0] == 0 }
    }
}
