import FerryConnectivity
import FerryProtocols
import FerryQueueSimulation
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation

extension Simulation {
    private enum Limit {
        /// The number of events after which a schedule that settles counts as endless.
        static let settling = 200_000
        /// The maximum simulated time for settling, in milliseconds. It is longer than the longest wait that a server
        /// asks for.
        static let milliseconds: Int64 = 4 * 86_400_000
    }

    /// Runs the schedule of a seed.
    package static func run(
        seed: UInt64, mutant: EngineMutant? = nil, keepsLines: Bool = false
    ) -> EngineReport {
        var simulation = Simulation(seed: seed, mutant: mutant, keepsLines: keepsLines)
        return simulation.run()
    }

    private mutating func run() -> EngineReport {
        policy = happens(50) ? .hold : .restart
        active = Array(Array(sites.indices).shuffled(using: &random).prefix(number(in: 2...4)))
        for index in sites.indices {
            sites[index].latency = Int64(number(in: 2...400))
            sites[index].work = Int64(number(in: 0...(happens(30) ? 8000 : 50)))
            sites[index].mood = .drawn(&random)
        }
        start(SimulatedDisk(), after: .kill, isCalm: false)
        if unreadable { crash(isCalm: false) }
        add(number(in: 2...6))
        timeline.plan(.disturbance, after: 100)
        let crashes = number(in: 0...3)
        for _ in 0..<crashes where isUnharmed {
            disturb(for: number(in: 20...400))
            if isUnharmed { crash(isCalm: false) }
        }
        if isUnharmed { disturb(for: number(in: 20...400)) }
        if isUnharmed, happens(60) { crash(isCalm: true) }
        if isUnharmed { settle() }
        return report()
    }

    private var isUnharmed: Bool { judge.violations.isEmpty && engine != nil }

    private mutating func disturb(for steps: Int) {
        for _ in 0..<steps where isUnharmed {
            guard step() else { return }
        }
    }

    private func report() -> EngineReport {
        EngineReport(
            seed: seed, digest: log.digest, events: log.count, lives: lives, seconds: Double(now) / 1000,
            busySeconds: Double(busyMilliseconds) / 1000, done: judge.done.count,
            violations: judge.violations, lines: log.lines)
    }

    /// Draws an event from outside: of a user, the link or a server, or a change of a file or the clock.
    mutating func disturb() {
        guard !isSettling else { return }
        timeline.plan(
            .disturbance,
            after: Int64([10, 300, 2000, 20_000, 200_000].randomElement(using: &random) ?? 300))
        guard engine?.isCalm == false else { return }
        switch number(in: 0...19) {
        case 0..<7: order()
        case 7..<12: changeLink()
        case 12..<17: changeServer()
        case 17:
            guard let file = files.keys.sorted().randomElement(using: &random), happens(40) else { return }
            files[file]?.version += 1
            log.add("file", file)
        case 18:
            guard happens(30) else { return }
            jump += Double(number(in: -3...3) * 86_400)
            latestJump = max(latestJump, jump)
            log.add("clock", Int(jump))
        default: if happens(30) { crash(isCalm: false) }
        }
    }

    // Lives of the engine.

    private mutating func start(_ disk: SimulatedDisk, after ending: Ledger.Ending, isCalm: Bool) {
        lives += 1
        let faults = isCalm ? DiskFaults() : DiskFaults(drawn: &random)
        disk.fail { faults.fault(at: $0) }
        let desk = Desk(sites, seed: seed &+ UInt64(lives) &* 7919)
        let core = QueueCore(
            configuration: .init(
                concurrency: 4, retry: QueueRetryPolicy(whenFileChanges: policy)),
            lookups: desk.lookups, limits: LimitSchedule(zone: .gmt), now: moment)
        var journal = EngineJournal(disk, options: options(), mutant: mutant)
        log.add("life", lives, faults.isFaulty ? 1 : 0) { "\(ending)" }
        let recovered = Result { () throws(JournalError) in try journal.load() }
        engine = Engine(
            life: lives, disk: disk, faults: faults, desk: desk, core: core, journal: journal, isCalm: isCalm)
        switch recovered {
        case .success(var recovered):
            log.add("recovered", recovered.uploads.count)
            judge.recovered(recovered, after: ending)
            let moment = moment
            if let effects = engine?.core.restore(&recovered, at: moment) { perform(effects) }
            send(.started(awaitsLink: false))
            if engine?.journal.hasSnapshotToWrite == true {
                timeline.plan(.snapshot(life: lives), after: Int64(number(in: 1...300)))
            }
            send(
                .link(
                    link.isUp ? .up(generation: link.generation) : .down(reason: "no carrier"),
                    isForbidden: false))
        case .failure(let error):
            if !faults.isFaulty {
                judge.violated(.queueIsReadable, "the queue cannot be read: \(error.summary)")
            }
            unreadable = true
        }
    }

    private mutating func options() -> FileJournal.Options {
        var options = FileJournal.Options()
        options.compactionThreshold = number(in: 300...12_000)
        options.maximumVolatile = number(in: 200...4000)
        options.reserve = number(in: 0...3) * 2000
        let date = moment.date
        options.now = { date }
        return options
    }

    /// Ends the current life at once, by a kill or a power cut, and starts the next one from the content of the disk.
    mutating func crash(isCalm: Bool) {
        var hadPowerCut = false
        for attempt in 0..<4 {
            guard let engine else { return }
            if engine.faults.takeSyncFailed() { judge.isSyncUncertain = true }
            let isPowerCut = happens(50) && !judge.isDiskUncertain
            let remains = SimulatedDisk.Remains.allCases[number(in: 0...3)]
            let names: SimulatedDisk.NameRemains =
                happens(20) ? .removals : .first(happens(50) ? 0 : number(in: 0...5))
            log.add("crash", isPowerCut ? 1 : 0) { "\(remains) \(names)" }
            let disk =
                isPowerCut
                ? engine.disk.powerCut(keeping: remains, names: names) : engine.disk.restarted()
            for number in flights.keys.sorted() where flights[number]?.isAbandoned == false { letGo(number) }
            if engine.faults.mayKeepRefused { judge.ledger.mayKeepRefused = true }
            judge.crashed()
            unreadable = false
            self.engine = nil
            // A life that cannot read the queue is not checked, so the next check covers every crash since the last
            // one.
            hadPowerCut = hadPowerCut || isPowerCut
            start(disk, after: hadPowerCut ? .powerCut : .kill, isCalm: isCalm || attempt == 3)
            if !unreadable, self.engine?.faults.isKilled == false { break }
        }
    }

    /// Ends all faults and commands, and lets the simulation run until the queue is idle.
    private mutating func settle() {
        isSettling = true
        calm()
        if engine?.isCalm == false { crash(isCalm: true) }
        // A user may have set the clock back. Uploads with a start date would otherwise wait for days.
        jump = latestJump
        send(.advance)
        let end = now + Limit.milliseconds
        for _ in 0..<Limit.settling where isUnharmed {
            guard now < end else { return judge.violated(.nothingStarves, "the queue does not come to rest") }
            guard engine?.core.isIdle == false || engine?.hasWaiters == true, step() else {
                checkEnds()
                return isUnharmed ? rest() : ()
            }
        }
        if isUnharmed { judge.violated(.nothingStarves, "the queue goes round in circles") }
    }

    /// Crashes once more after the queue is idle, to check that nothing changes.
    private mutating func rest() {
        while engine?.journal.hasWaiting == true { writeJournal() }
        crash(isCalm: true)
    }
}
