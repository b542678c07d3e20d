import FerryUploads

/// The position of an upload in the queue: the upload with the lowest rank comes first. While an update is applied
/// upload by upload, two ranks can be equal for a moment. Then the upload with the lower id comes first.
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
