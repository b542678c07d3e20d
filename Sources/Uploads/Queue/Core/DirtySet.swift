/// The uploads whose state is not on disk, for example because the disk refused a record. An upload leaves the set once
/// a later record of it is on disk.
struct DirtySet {
    private var refusals: [Upload.ID: Int] = [:]
    /// The number of calls of `insert`, which serves as a clock.
    private var last = 0

    var isEmpty: Bool { refusals.isEmpty }
    var ids: some Collection<Upload.ID> { refusals.keys }

    /// The number of calls of `insert` so far. A record that begins now contains every change that was refused before.
    var now: Int { last }

    func contains(_ id: Upload.ID) -> Bool { refusals[id] != nil }

    mutating func insert(_ ids: some Sequence<Upload.ID>) {
        last += 1
        for id in ids { refusals[id] = last }
    }

    /// Removes the uploads in `ids`, because their record is on disk. `moment` is the value of `now` when the record
    /// began.
    ///
    /// The results of records arrive in any sequence. So an upload stays if the disk has refused another record of it
    /// since `moment`.
    mutating func saved(_ ids: some Sequence<Upload.ID>, begunAt moment: Int) {
        for id in ids where refusals[id].map({ $0 <= moment }) ?? false { refusals[id] = nil }
    }

    mutating func remove(_ id: Upload.ID) { refusals[id] = nil }
}
