/// The uploads whose current state is in memory, but not in the journal on disk.
struct DirtySet {
    private var refusals: [Upload.ID: Int] = [:]
    private var last = 0

    var isEmpty: Bool { refusals.isEmpty }
    var ids: some Collection<Upload.ID> { refusals.keys }

    /// The value to pass to `saved` if a write that begins now succeeds.
    var now: Int { last }

    func contains(_ id: Upload.ID) -> Bool { refusals[id] != nil }

    mutating func insert(_ ids: some Sequence<Upload.ID>) {
        last += 1
        for id in ids { refusals[id] = last }
    }

    /// Removes uploads that were written to disk, except those inserted again after the write began.
    mutating func saved(_ ids: some Sequence<Upload.ID>, begunAt moment: Int) {
        for id in ids where refusals[id].map({ $0 <= moment }) ?? false { refusals[id] = nil }
    }

    mutating func remove(_ id: Upload.ID) { refusals[id] = nil }
}
