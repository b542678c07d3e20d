import FerryUploads

/// The position in the queue. While an update is applied upload by upload, two ranks can be equal for a moment.
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
