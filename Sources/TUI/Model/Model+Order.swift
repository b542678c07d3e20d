extension Model {
    mutating func runInOrder(_ action: Action) -> [Effect] {
        dialog = nil
        if case .orderBy(let key) = action { arrange(by: key) }
        return []
    }

    /// The same once more turns it round.
    mutating func arrange(by key: RowOrder.Key) {
        let before = cursorIndex
        following = .nothing
        range = nil
        table.arrange(
            table.filter, by: table.order.key == key ? table.order.reversed : RowOrder(key), in: tab)
        settleCursor(before: before)
        let order = table.order
        let way = order == RowOrder(order.key) ? "" : ", the other way round"
        say(.information, "by \(order.title)\(way)")
    }
}
