import Uploads

/// The rows of the list, in the order in which they are shown.
struct Rows: RandomAccessCollection, Hashable, Sendable {
    private(set) var places: [Place]
    private let order: RowOrder
    /// What each is compared by; empty in the order of the queue, where the places themselves say it.
    private var values: [Upload.ID: SortValue]

    /// - Parameter places: In the order of the queue.
    init(_ places: [Place]) {
        self.places = places
        order = .queue
        values = [:]
    }

    /// - Parameter value: Of each place, which is in the table.
    init(_ places: [Place], by order: RowOrder, value: (Upload.ID) -> SortValue?) {
        self.order = order
        guard order != .queue else {
            self.places = places
            values = [:]
            return
        }
        let valued = places.compactMap { place in value(place.id).map { (value: $0, place: place) } }
        let sorted = valued.sorted { Self.precedes($0, $1, isAscending: order.isAscending) }
        self.places = sorted.map(\.place)
        values = Dictionary(uniqueKeysWithValues: sorted.map { ($0.place.id, $0.value) })
    }

    var startIndex: Int { 0 }
    var endIndex: Int { places.count }
    subscript(index: Int) -> Place { places[index] }

    /// - Returns: nil if it is not among the rows.
    func index(of place: Place) -> Int? {
        guard order != .queue else { return places.index(of: place) }
        guard let value = values[place.id] else { return nil }
        let index = lowerBound(of: place, value)
        return index < count && places[index] == place ? index : nil
    }

    /// The index of the row that took the place of one that is gone.
    ///
    /// - Parameter index: Where it was.
    func heir(of place: Place, at index: Int) -> Int {
        let heir = order == .queue ? places.lowerBound(of: place) : index
        return Swift.max(0, Swift.min(heir, count - 1))
    }

    /// Those of them that fit, in the same order.
    func keeping(_ fits: (Place) -> Bool) -> Rows {
        var rows = self
        rows.places = places.filter(fits)
        return rows
    }

    mutating func insert(_ place: Place, value: SortValue) {
        guard order != .queue else { return places.insertSorted(place) }
        places.insert(place, at: lowerBound(of: place, value))
        values[place.id] = value
    }

    mutating func remove(_ place: Place) {
        guard let index = index(of: place) else { return }
        places.remove(at: index)
        values[place.id] = nil
    }

    private func lowerBound(of place: Place, _ value: SortValue) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            guard let other = values[places[middle].id] else { break }
            if Self.precedes((other, places[middle]), (value, place), isAscending: order.isAscending) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Those that are equal stand in the order of the queue.
    private static func precedes(
        _ left: (value: SortValue, place: Place), _ right: (value: SortValue, place: Place), isAscending: Bool
    ) -> Bool {
        if left.value < right.value { return isAscending }
        if right.value < left.value { return !isAscending }
        return left.place < right.place
    }
}
