import FerryUploads

/// The line of `--json` about the uploads that a command changed, or that `undo --dry-run` would change.
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
                case .retried: .retried
                }
        }
    }

    private(set) var event = "changed"
    private let change: Change
    private let ids: [Upload.ID]
    /// The number of done uploads that stayed in the queue when `undo` took back their addition; nil if there are none.
    private var done: Int?
    /// The time of the command that `undo` would undo, in the output of `undo --dry-run`; nil in other output.
    private var at: Date?

    init(_ change: Change, _ ids: [Upload.ID]) { (self.change, self.ids) = (change, ids.sorted()) }

    init(_ kind: QueueChangeKind, _ ids: [Upload.ID]) {
        self.init(Change(kind), ids)
        if case .unadded(let done) = kind, done > 0 { self.done = done }
    }

    init(_ offer: UndoOffer) {
        self.init(offer.change, offer.ids)
        (event, at) = ("wouldUndo", offer.date)
    }

    static let events: KeyValuePairs = [
        "changed": "A command changed the queue.",
        "wouldUndo": "`undo` would make this change without `--dry-run`.",
    ]
    static let members: LineMembers<Self> = [
        .always(
            "change", "The kind of change; `putBack` is a removal that was undone.", as: .choice(Change.self),
            \.change.rawValue),
        .always("ids", "The uploads that changed.", as: .array(.positive), \.ids),
        .maybe(
            "done", "The number of done uploads that stay in the queue after an undone addition.",
            as: .positive, \.done),
        .maybe("at", "The time of the change that would be undone.", \.at),
    ]
}

/// The line of `ferry stop --json`.
struct StopLine: OutputLine {
    let running: Bool
    var process: Int32?

    static let events: KeyValuePairs = ["stop": "The running engine was asked to stop."]
    static let members: LineMembers<Self> = [
        .always("running", "True if the engine stops later, when its running uploads have ended.", \.running),
        .maybe("process", "The process ID of the engine; absent if none ran.", as: .positive, \.process),
    ]
}
