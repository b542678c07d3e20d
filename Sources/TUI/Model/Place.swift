import FerryUploads

/// Where an upload stands in the queue: sorted by rank, which is unique; the id settles it while two changes are
/// on their way.
struct Place: Hashable, Comparable, Sendable {
    var rank: Int64
    var id: Upload.ID

    static func < (left: Place, right: Place) -> Bool {
        left.rank != right.rank ? left.rank < right.rank : left.id < right.id
    }
}
