import FerryUploads

/// Rows in an order, as slots: those of a tab, or what is shown of it.
struct RowList: Sendable {
    private(set) var slots: [Slot] = []
    let order: RowOrder
    /// By slot, what its row is compared by first; empty where that is no number.
    private var keys: [UInt64] = []

    /// - Parameter slots: As they stand in the queue.
    init(queue slots: [Slot] = []) {
        self.slots = slots
        order = .queue
    }

    /// - Parameters:
    ///   - slots: As they stand in the queue.
    ///   - columns: With the names, if it is by name.
    init(_ slots: [Slot], by order: RowOrder, in columns: UploadColumns, paces: [Upload.ID: Pace]) {
        self.order = order
        switch order.key {
        case .queue: self.slots = order.isAscending ? slots : slots.reversed()
        case .name:
            var rows = KeyedSlots(slots) { _ in 0 }
            columns.names?.withTexts { rows.sort(by: $0, isAscending: order.isAscending) }
            self.slots = rows.slots
        case .size, .progress, .rate, .remaining, .added:
            var keys = [UInt64](repeating: 0, count: columns.capacity)
            columns.withUploads { uploads in
                for slot in slots {
                    keys[slot.index] = order.key(of: uploads[slot.index], pace: nil)
                }
            }
            for (id, pace) in paces {
                guard let slot = columns.slot(of: id) else { continue }
                keys[slot.index] = order.key(of: columns[slot], pace: pace)
            }
            var rows = KeyedSlots(slots) { keys[$0.index] }
            rows.sort()
            self.slots = rows.slots
            self.keys = keys
        }
    }

    /// Some of its rows, in the same order.
    ///
    /// - Parameter slots: As they stand in this one.
    func narrowed(to slots: [Slot]) -> RowList {
        var list = self
        list.slots = slots
        return list
    }

    /// - Returns: nil if it is not among the rows.
    func index(of slot: Slot, in columns: UploadColumns) -> Int? {
        // One that came since and is not shown has no key.
        guard !hasKeys || slot.index < keys.count else { return nil }
        let index = lowerBound(of: slot, in: columns)
        return index < slots.count && slots[index] == slot ? index : nil
    }

    /// - Parameter key: What `order` says.
    mutating func insert(_ slot: Slot, key: UInt64 = 0, in columns: UploadColumns) {
        if hasKeys {
            while keys.count <= slot.index { keys.append(0) }
            keys[slot.index] = key
        }
        slots.insert(slot, at: lowerBound(of: slot, in: columns))
    }

    mutating func remove(_ slot: Slot, in columns: UploadColumns) {
        if let index = index(of: slot, in: columns) { slots.remove(at: index) }
    }

    /// True if the row would stand where it stands with another key.
    func stays(_ slot: Slot, key: UInt64) -> Bool { !hasKeys || keys[slot.index] == key }

    /// The index of the first row that does not come before a place in the queue.
    func lowerBound(of place: Place, in columns: UploadColumns) -> Int {
        slots.lowerBound { columns.place(of: $0) < place }
    }

    private var hasKeys: Bool {
        switch order.key {
        case .queue, .name: false
        case .size, .progress, .rate, .remaining, .added: true
        }
    }

    private func lowerBound(of slot: Slot, in columns: UploadColumns) -> Int {
        slots.lowerBound { precedes($0, slot, columns) }
    }

    /// Those that are equal stand in the order of the queue.
    private func precedes(_ left: Slot, _ right: Slot, _ columns: UploadColumns) -> Bool {
        if left == right { return false }
        if hasKeys {
            let (one, other) = (keys[left.index], keys[right.index])
            if one != other { return one < other }
        } else if order.key == .name, let names = columns.names {
            let (isLess, isGreater) = names.withTexts { ($0.precedes(left, right), $0.precedes(right, left)) }
            if isLess != isGreater { return isLess == order.isAscending }
        }
        let isFirst = columns.place(of: left) < columns.place(of: right)
        return order.key == .queue ? isFirst == order.isAscending : isFirst
    }
}

extension [Slot] {
    /// The index of the first that does not come before something.
    fileprivate func lowerBound(comesBefore: (Slot) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if comesBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
