import FerryProtocols
import FerryStateSimulation
import FerryUploads

/// One life of the engine, from its start to its end.
struct Engine {
    /// The part of the simulation that waits for a reply of the queue.
    enum Waiter {
        case saved(Upload.ID, run: Int)
        case noted(Upload.ID, run: Int)
        case marked(flight: Int)
        case unmarked(flight: Int, ExchangeOutcome)
        /// An attempt that is ending has removed its mark or its upload resource from the journal.
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
    var condition = JournalCondition.healthy
    var attempts: [Upload.ID: Attempt] = [:]
    var capabilities: [String: ServerCapabilities] = [:]
    /// The number of the current timer. Events of timers with other numbers are ignored.
    var timer = 0
    var isLinkAway = false
    /// The bandwidth limit of a user in bytes per second; nil if there is none.
    var rate: ByteCount?
    /// True if no faults occur in this life.
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

    // Effects are performed in order. If an event returns more effects while others are performed, they are appended.

    /// Appends `new` to the effects to perform.
    ///
    /// - Returns: False if effects are already being performed; the caller then does nothing.
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
