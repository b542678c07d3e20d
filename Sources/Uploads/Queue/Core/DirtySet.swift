/// The uploads whose record the disk refused, or that must be written again. Each stays until a later record is on
/// disk.
struct DirtySet {
    private var refusals: [Upload.ID: Int] = [:]
    /// The number of the last refusal.
    private var last = 0

    var isEmpty: Bool { refusals.isEmpty }
    var ids: some Collection<Upload.ID> { refusals.keys }

    /// The current moment: a record that begins now contains everything refused before.
    var now: Int { last }

    func contains(_ id: Upload.ID) -> Bool { refusals[id] != nil }

    mutating func insert(_ ids: some Sequence<Upload.ID>) {
        last += 1
        for id in ids { refusals[id] = last }
    }

    /// Notes that records begun at `moment` are on disk. Results arrive in any sequence, so one of the uploads may have
    /// been refused since.
    mutating func saved(_ ids: some Sequence<Upload.ID>, begunAt moment: Int) {
        for id in ids where refusals[id].map({ $0 <= moment }) ?? false { refusals[id] = nil }
    }

    mutating func remove(_ id: Upload.ID) { refusals[id] = nil }
}
