import FerryUploads

/// The position of an upload in the queue. Ranks are unique, except for a moment while a move is applied. Of two equal
/// ranks, the one with the lower id comes first.
struct QueuePosition: Hashable, Comparable, Sendable {
    var rank: Int64
    var id: Upload.ID

    static func < (left: QueuePosition, right: QueuePosition) -> Bool {
        left.rank != right.rank ? left.rank < right.rank : left.id < right.id
    }
}

extension Upload {
    var position: QueuePosition { QueuePosition(rank: rank, id: id) }
}
