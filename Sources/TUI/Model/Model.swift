import FerryProtocols
import FerryTransfer
import FerryUploads

/// Everything that is on the screen, and nothing that is not a value: no terminal, no clock, no queue.
struct Model: Sendable {
    var appearance: Appearance
    let tie: EngineTie
    var destinations: [String]
    var defaultDestination: String?
    /// The one that files were added to last.
    var lastDestination: String?
    var hasMouse: Bool

    var clock: Clock
    var size = Size(rows: 24, columns: 80)

    var table = UploadTable()
    var status = EngineStatus()
    /// True until the queue has described itself.
    var isLoading = true
    var queueHasEnded = false

    var tab = Tab.all
    /// The upload under the cursor; its place is remembered so that a neighbour can take over when it goes.
    var cursor: Place?
    /// Index in `rows` of the first row on the screen.
    var top = 0
    var marks: Set<Upload.ID> = []
    var range: MarkRange?
    /// The last click on a row, which another one may make a double click.
    var lastClick: (id: Upload.ID, at: Double)?
    var following = Following.running(since: -.infinity)

    var dialog: Dialog?
    var toast: Toast?
    /// When the last toast went by itself, on the clock.
    var toastEnded = -Double.infinity
    /// The running ones are to be finished, then the screen closes.
    var isFinishing = false

    var live: [Upload.ID: LiveProgress] = [:]
    /// Bytes sent of uploads that stopped and will go on, until they do: a bar does not fall to nothing in between.
    var reached: [Upload.ID: ByteCount] = [:]
    /// When the waits for a retry end, on the clock that never jumps, as the queue said when it told of them.
    var waitEnds: [Upload.ID: Double] = [:]
    var estimator = TransferEstimator()
    var estimates = ShownEstimates()
    var history = ThroughputHistory()
    var graph = GraphSpan.seconds
    var log = EventLog()
    var loggedStatus = StatusWatch()
    var terminalCall = TerminalCall()
    var queueWatch = QueueWatch()
    var callDigest = CallDigest([])
    var sampledAt: Double?
    /// Bytes of uploads that ended since the last samples: the small ones come and go between two.
    var unsampled = 0.0
    /// Numbers the questions put outside, so that late answers are told apart.
    var questions = 0
    var completionQuestion: Int?

    init(
        appearance: Appearance, destinations: [String], defaultDestination: String?, hasMouse: Bool,
        clock: Clock, tie: EngineTie = .own
    ) {
        self.appearance = appearance
        self.tie = tie
        self.destinations = destinations
        self.defaultDestination = defaultDestination
        self.hasMouse = hasMouse
        self.clock = clock
    }

    var rows: Rows { table.shown(in: tab) }

    var layout: Layout { Layout(size, hasGraph: graph != .off) }

    var cursorIndex: Int? { cursor.flatMap { rows.index(of: $0) } }

    /// The marked uploads that are shown, else the one under the cursor, as they stand.
    var targets: [Upload] {
        let marked = markedRows
        let places = marked.isEmpty ? cursor.map { [$0] } ?? [] : marked
        return places.compactMap { table[$0.id] }
    }

    /// Marks act only where they can be seen.
    var markedRows: [Place] { marks.isEmpty ? [] : rows.filter { marks.contains($0.id) } }

    /// What the hints tell of the targets.
    var targetTraits: TargetTraits {
        var traits = TargetTraits()
        if !marks.isEmpty { rows.forEachState(of: marks) { traits.add($0) } }
        traits.marked = traits.count
        if traits.count == 0, let cursor, let upload = table[cursor.id] {
            traits.add(upload.state)
            if upload.canBeRetried { traits.canBeRetried = true }
        }
        return traits
    }

    var context: Context { dialog?.context ?? .list }

    var actions: ActionTable { appearance.actions }

    /// Bytes that are on the server, as far as can be known without asking it.
    func held(_ upload: Upload) -> ByteCount {
        let confirmed = max(upload.confirmed, live[upload.id]?.sample.confirmed ?? 0)
        guard upload.resource != nil else { return confirmed }
        return max(confirmed, live[upload.id]?.sample.sent ?? 0, reached[upload.id] ?? 0)
    }

    /// True if removing it throws away what the server holds.
    func isPartlyAtServer(_ upload: Upload) -> Bool {
        upload.state.isUnfinished && (upload.resource != nil || held(upload) > 0)
    }

    /// The estimate of all uploads together, as shown.
    var total: TransferEstimate { estimates.total }

    /// What remains to be sent of all that is due, in bytes.
    var bytesLeft: Int128 { remainingBytes.total }

    var remainingBytes: RemainingBytes {
        let sent = live.values.map { ($0.sample.id, $0.sample.sent) } + reached.map { ($0.key, $0.value) }
        return sent.reduce(into: table.left) { left, part in
            guard let upload = table[part.0], upload.isDue else { return }
            left.add(-max(0, Int128(min(part.1, upload.size)) - Int128(upload.confirmed)), of: upload)
        }
    }

    var isOffline: Bool {
        if case .offline = status.network { return true }
        return false
    }

    /// When something changes without anything happening, on the clock; nil if nothing does.
    var deadline: Double? {
        var moments: [Double] = []
        if !table.running.isEmpty, !isEngineGone {
            moments.append((sampledAt ?? clock.seconds) + Self.sampling)
        }
        if !table.waiting.isEmpty, !isEngineGone { moments.append(clock.seconds.rounded(.down) + 1) }
        if let toast { moments.append(toast.expires) }
        if case .add(let add) = dialog { moments += add.moments }
        return moments.min()
    }

    /// Seconds between samples of the running uploads.
    static let sampling = 0.25

    /// True if the progress of the running uploads should be asked for.
    var wantsProgress: Bool {
        guard !table.running.isEmpty, !isEngineGone else { return false }
        return sampledAt.map { clock.seconds - $0 >= Self.sampling - 0.005 } ?? true
    }
}

extension Model {
    /// True if bars, countdowns or a toast that ends have something new to show since a moment on the clock.
    func changesByItself(since moment: Double) -> Bool {
        if let sampledAt, sampledAt > moment { return true }
        if !table.waiting.isEmpty, clock.seconds.rounded(.down) > moment.rounded(.down) { return true }
        return toastEnded > moment
    }
}
