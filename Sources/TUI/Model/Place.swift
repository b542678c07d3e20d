import Uploads

/// Where an upload stands in the queue: sorted by rank, which is unique; the id settles it while two changes are
/// on their way.
struct Place: Hashable, Comparable, Sendable {
    var rank: Int64
    var id: Upload.ID

    static func < (left: Place, right: Place) -> Bool {
        left.rank != right.rank ? left.rank < right.rank : left.id < right.id
    }
}

extension [Place] {
    /// The index of the first place that does not come before `place`.
    func lowerBound(of place: Place) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func index(of place: Place) -> Int? {
        let index = lowerBound(of: place)
        return index < count && self[index] == place ? index : nil
    }

    mutating func insertSorted(_ place: Place) {
        if let last, last < place { append(place) } else { insert(place, at: lowerBound(of: place)) }
    }

    mutating func removeSorted(_ place: Place) {
        if let index = index(of: place) { remove(at: index) }
    }
}
