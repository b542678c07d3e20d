import FerryFiles
import FerryUploads

/// The changes of a command, as `--json` prints them.
struct ChangedLine: OutputLine {
    enum Change: String, CaseIterable {
        case paused, resumed, retried, removed, putBack, moved, limited

        init(_ kind: QueueChangeKind) {
            self =
                switch kind {
                case .paused: .paused
                case .resumed: .resumed
                case .removed, .unadded: .removed
                case .putBack: .putBack
                case .moved: .moved
                case .limited: .limited
                }
        }
    }

    var event = "changed"
    var change: String
    var ids: [Int]
    /// The number of uploads that were done before their addition was undone, and stay.
    var done: Int?
    /// The time of the command that would be undone.
    var at: Date?

    init(_ change: Change, _ ids: [Upload.ID]) { (self.change, self.ids) = (change.rawValue, ids) }

    /// - Parameter kind: The change that `undo` or `redo` made.
    init(_ kind: QueueChangeKind, _ ids: [Upload.ID]) {
        self.init(Change(kind), ids)
        if case .unadded(let done) = kind, done > 0 { self.done = done }
    }

    /// - Parameter offer: The change that `undo` would make.
    init(_ offer: UndoOffer) {
        self.init(offer.change, offer.ids)
        (event, at) = ("wouldUndo", offer.date)
    }

    static let schema = LineSchema(
        [
            .init("changed", "An order was carried out."),
            .init("wouldUndo", "`undo` would do this without --dry-run."),
        ],
        always: [
            .init("change", .choice(Change.self), "What it did; putBack is a removal that was undone."),
            .init("ids", .array(.whole(1...Int.max)), "The uploads that it changed."),
        ],
        maybe: [
            .init("done", .whole(1...Int.max), "Uploads of an undone addition that were done, and stay."),
            .init("at", .moment, "When the order was given that would be undone."),
        ])
}

/// The line of `ferry stop --json`.
struct StopLine: OutputLine {
    var event = "stop"
    var running: Bool
    var process: Int32?

    static let schema = LineSchema(
        [.init("stop", "The running engine is to stop.")],
        always: [.init("running", .flag, "True if it ends later, once its running uploads have.")],
        maybe: [.init("process", .whole(1...Int.max), "The number of its process; absent if none ran.")])
}
