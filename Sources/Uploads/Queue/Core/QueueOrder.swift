/// Calculates the new ranks when uploads move in the queue.
enum QueueOrder {
    /// Returns the new rank of each upload whose rank the move changes. The `chosen` uploads keep their sequence. A
    /// move to the top or bottom needs only them in `order`, and assigns ranks beyond the `taken` ones.
    static func ranks(
        after move: QueueMove, of chosen: Set<Upload.ID>, in order: [(id: Upload.ID, rank: Int64)],
        within taken: ClosedRange<Int64>
    ) -> [Upload.ID: Int64] {
        var ids = order.map(\.id)
        switch move {
        case .up:
            for index in ids.indices.dropFirst()
            where chosen.contains(ids[index]) && !chosen.contains(ids[index - 1]) {
                ids.swapAt(index, index - 1)
            }
        case .down:
            for index in ids.indices.dropLast().reversed()
            where chosen.contains(ids[index]) && !chosen.contains(ids[index + 1]) {
                ids.swapAt(index, index + 1)
            }
        case .top, .bottom:
            let block = ids.filter(chosen.contains)
            let start = move == .top ? taken.lowerBound &- Int64(block.count) : taken.upperBound &+ 1
            return Dictionary(uniqueKeysWithValues: block.indices.map { (block[$0], start &+ Int64($0)) })
        }
        return zip(ids, order).reduce(into: [:]) { ranks, pair in
            if pair.0 != pair.1.id { ranks[pair.0] = pair.1.rank }
        }
    }
}
