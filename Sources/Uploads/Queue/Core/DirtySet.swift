/// The uploads whose state is not on disk, as after a refused record. A later record on disk removes them.
struct DirtySet {
    private var refusals: [Upload.ID: Int] = [:]
    /// The number of calls of `insert`, which serves as a clock.
    private var last = 0

    var isEmpty: Bool { refusals.isEmpty }
    var ids: some Collection<Upload.ID> { refusals.keys }

    /// The current moment of that clock: a record that begins now contains every change that was refused before.
    var now: Int { last }

    func contains(_ id: Upload.ID) -> Bool { refusals[id] != nil }

    mutating func insert(_ ids: some Sequence<Upload.ID>) {
        last += 1
        for id in ids { refusals[id] = last }
    }

    /// Removes uploads with a record on disk that began at `moment`. An upload stays if a record of it was refused
    /// after that moment, as results arrive in any sequence.
    mutating func saved(_ ids: some Sequence<Upload.ID>, begunAt moment: Int) {
        for id in ids where refusals[id].map({ $0 <= moment }) ?? false { refusals[id] = nil }
    }

    mutating func remove(_ id: Upload.ID) { refusals[id] = nil }
}
