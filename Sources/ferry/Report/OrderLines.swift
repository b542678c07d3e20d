import FerryUploads

/// What an order changed, as `--json` prints it.
struct ChangedLine: OutputLine {
    enum Change: String, CaseIterable {
        case paused, resumed, retried, removed, putBack, moved, limited

        init(_ kind: QueueChangeKind) {
            self =
                switch kind {
                case .paused: .paused
                case .resumed: .resumed
                case .removed: .removed
                case .putBack: .putBack
                case .moved: .moved
                case .limited: .limited
                }
        }

        /// Behind a number, for people.
        var participle: String { self == .retried ? "to be tried again" : rawValue }
    }

    var event = "changed"
    var change: String
    var ids: [Int]

    init(_ change: Change, _ ids: [Upload.ID]) { (self.change, self.ids) = (change.rawValue, ids) }

    static let schema = LineSchema(
        [.init("changed", "An order was carried out.")],
        always: [
            .init("change", .choice(Change.self), "What it did; putBack is a removal that was undone."),
            .init("ids", .array(.whole(1...Int.max)), "The uploads that it changed."),
        ])
}

/// What `ferry stop --json` prints.
struct StopLine: OutputLine {
    var event = "stop"
    var running: Bool
    var process: Int32?

    static let schema = LineSchema(
        [.init("stop", "The ferry that runs was told to end.")],
        always: [.init("running", .flag, "True if it ends later, once its running uploads have.")],
        maybe: [.init("process", .whole(1...Int.max), "The number of its process; absent if none ran.")])
}
