/// The uploads whose current state is in memory, but not in the journal on disk. An upload leaves the set when a later
/// write of its state succeeds, or when it leaves the queue.
struct DirtySet {
    private var refusals: [Upload.ID: Int] = [:]
    /// The number of calls of `insert` so far, which serves as the time at which an upload was inserted.
    private var last = 0

    var isEmpty: Bool { refusals.isEmpty }
    var ids: some Collection<Upload.ID> { refusals.keys }

    /// The number of calls of `insert` so far. Read it when a write of uploads to disk begins, and pass it to `saved`
    /// if the write succeeds.
    var now: Int { last }

    func contains(_ id: Upload.ID) -> Bool { refusals[id] != nil }

    mutating func insert(_ ids: some Sequence<Upload.ID>) {
        last += 1
        for id in ids { refusals[id] = last }
    }

    /// Removes the uploads in `ids`, because their states were written to disk. Keeps each upload that was inserted
    /// again after the write began, because a newer state of the upload is not on disk.
    mutating func saved(_ ids: some Sequence<Upload.ID>, begunAt moment: Int) {
        for id in ids where refusals[id].map({ $0 <= moment }) ?? false { refusals[id] = nil }
    }

    mutating func remove(_ id: Upload.ID) { refusals[id] = nil }
}
