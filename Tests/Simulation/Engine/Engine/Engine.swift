import FerryProtocols
import FerryStateSimulation
import FerryUploads

/// The engine from one start to its end.
struct Engine {
    /// The one that waits for a response of the queue.
    enum Waiter {
        case saved(Upload.ID, run: Int)
        case noted(Upload.ID, run: Int)
        case marked(flight: Int)
        case unmarked(flight: Int, ExchangeOutcome)
        /// The mark or the resource of an attempt that ends is taken back.
        case cleared(Upload.ID, run: Int)
        case ended
        case command(Order)
        case savedDirty(JournalCondition?)
    }

    let life: Int
    let disk: SimulatedDisk
    let faults: DiskFaults
    let desk: Desk
    var core: QueueCore
    var journal: EngineJournal
    var condition = JournalCondition.sound
    var attempts: [Upload.ID: Attempt] = [:]
    var capabilities: [String: ServerCapabilities] = [:]
    /// The number of the timer that counts.
    var timer = 0
    var isLinkAway = false
    /// Bytes per second that a user allows.
    var rate: ByteCount?
    /// True if nothing goes wrong in this life.
    let isCalm: Bool
    private var waiters: [ReplyID: Waiter] = [:]
    private var lastReply = 0
    private var effects: [CoreEffect] = []
    private var isPerforming = false

    init(
        life: Int, disk: SimulatedDisk, faults: DiskFaults, desk: Desk, core: QueueCore,
        journal: EngineJournal, isCalm: Bool
    ) {
        self.life = life
        self.disk = disk
        self.faults = faults
        self.desk = desk
        self.core = core
        self.journal = journal
        self.isCalm = isCalm
    }

    mutating func wait(_ waiter: Waiter) -> ReplyID {
        lastReply += 1
        waiters[lastReply] = waiter
        return lastReply
    }

    mutating func takeWaiter(_ id: ReplyID) -> Waiter? { waiters.removeValue(forKey: id) }

    var hasWaiters: Bool { !waiters.isEmpty }

    // Effects are carried out in order, those of an event that comes up meanwhile behind the others.

    /// - Returns: False if effects are carried out already.
    mutating func beginPerforming(_ new: [CoreEffect]) -> Bool {
        effects += new
        guard !isPerforming else { return false }
        isPerforming = true
        return true
    }

    mutating func nextEffects() -> [CoreEffect]? {
        guard !effects.isEmpty else {
            isPerforming = false
            return nil
        }
        defer { effects = [] }
        return effects
    }
}
