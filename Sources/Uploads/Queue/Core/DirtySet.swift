/// Uploads of which the disk refused a record, or that must be written anew. Each stays until a record is on disk that
/// was begun later.
struct DirtySet {
    private var refusals: [Upload.ID: Int] = [:]
    /// The number of the last refusal.
    private var last = 0

    var isEmpty: Bool { refusals.isEmpty }
    var ids: some Collection<Upload.ID> { refusals.keys }

    /// A moment: a record that begins now holds whatever was refused before.
    var now: Int { last }

    func contains(_ id: Upload.ID) -> Bool { refusals[id] != nil }

    mutating func insert(_ ids: some Sequence<Upload.ID>) {
        last += 1
        for id in ids { refusals[id] = last }
    }

    /// Records of these are on disk that were begun at `moment`. Answers come in any order, so one of them may have been
    /// refused since.
    mutating func saved(_ ids: some Sequence<Upload.ID>, begunAt moment: Int) {
        for id in ids where refusals[id].map({ $0 <= moment }) ?? false { refusals[id] = nil }
    }

    mutating func remove(_ id: Upload.ID) { refusals[id] = nil }
}
