import FerryConnectivity
import FerryProtocols
import FerryQueueSimulation
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import FerryUploads

/// The result of one schedule.
package struct EngineReport: Sendable {
    package var seed: UInt64
    /// The digest of the event log. Two runs of one seed have the same digest.
    package var digest: UInt64
    package var events: Int
    package var lives: Int
    /// The virtual time in seconds, and the part of it in which a request was under way.
    package var seconds: Double
    package var busySeconds: Double
    package var done: Int
    package var violations: [Violation]
    /// The text of every event; nil if it was not asked for.
    package var lines: [String]?
}

/// The surroundings of the engine: clock, disk, network, servers, files and users. A simulation runs on one thread, and
/// its seed decides everything.
package struct Simulation {
    enum Event {
        case timer(life: Int, Int)
        case disk(life: Int)
        case snapshot(life: Int)
        case repaired(life: Int, JournalCondition)
        case saveDirty(life: Int)
        case flight(Int, plan: Int)
        case stalled(Int, plan: Int)
        case arrival(Int)
        case probed(life: Int, UploadHost, Int)
        /// The kernel reports the state of the link.
        case linkReported(life: Int, LinkStatus)
        case linkChecked(life: Int, changes: Int, starts: Int)
        case linkRestored(changes: Int)
        /// The time of the next random event from outside has come.
        case disturbance
    }

    struct File {
        var version: Int64
        var size: ByteCount
    }

    let seed: UInt64
    let mutant: EngineMutant?
    var random: SeededGenerator
    var log: FerryQueueSimulation.EventLog
    var timeline = Timeline<Event>()
    /// The number of seconds by which users have moved the wall clock.
    var jump = 0.0
    var latestJump = 0.0
    var sites = Site.all()
    var link = Link()
    var flights: [Int: Flight] = [:]
    var lastFlight = 0
    var files: [Int: File] = [:]
    var policy = FileChangePolicy.hold
    /// The indexes of the sites that this schedule uploads to.
    var active: [Int] = []
    /// True once no more events come from outside.
    var isSettling = false
    var judge = Judge()
    var lives = 0
    var busyMilliseconds: Int64 = 0
    /// The current life of the engine; nil between two lives.
    var engine: Engine?
    /// True if the current life could not read the queue.
    var unreadable = false

    init(seed: UInt64, mutant: EngineMutant?, keepsLines: Bool) {
        self.seed = seed
        self.mutant = mutant
        random = SeededGenerator(seed: seed)
        log = FerryQueueSimulation.EventLog(keepsLines: keepsLines)
    }

    var now: Int64 { timeline.now }
    var moment: Moment { VirtualTime.moment(now, jump: jump) }

    mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func happens(_ percent: Int) -> Bool { random.happens(percent) }

    func isAlive(_ life: Int) -> Bool { engine?.life == life }

    /// Handles the next event.
    ///
    /// - Returns: False if no event is planned.
    mutating func step() -> Bool {
        let before = now
        let wasBusy = flights.contains { !$0.value.isAbandoned }
        guard let event = timeline.next() else { return false }
        if wasBusy { busyMilliseconds += now - before }
        take(event)
        if let engine, engine.faults.isKilled { crash(isCalm: false) }
        return true
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .timer(let life, let number):
            guard isAlive(life), engine?.timer == number else { return }
            log.add("timer", Int(now))
            send(.timer)
        case .disk(let life): if isAlive(life) { writeJournal() }
        case .snapshot(let life): if isAlive(life) { writeSnapshot() }
        case .repaired(let life, let condition):
            if isAlive(life) { saveDirty(then: condition) }
        case .saveDirty(let life): if isAlive(life) { saveDirty(then: nil) }
        case .flight(let number, let plan):
            if flights[number]?.plan == plan { advance(number) }
        case .stalled(let number, let plan): if flights[number]?.plan == plan { stall(number) }
        case .arrival(let number): arrive(number)
        case .probed(let life, let host, let number): if isAlive(life) { answerProbe(host, number) }
        case .linkReported(let life, let status): if isAlive(life) { report(status) }
        case .linkChecked(let life, let changes, let starts):
            if isAlive(life), link.changes == changes { checkLink(since: starts) }
        case .linkRestored(let changes): if link.changes == changes { restoreLink() }
        case .disturbance: disturb()
        }
    }
}
