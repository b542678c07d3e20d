import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation

/// The result of one schedule.
package struct SimulationReport: Sendable {
    package var seed: UInt64
    /// The digest of all events. Two runs of one seed have the same digest.
    package var digest: UInt64
    package var events: Int
    package var lives: Int
    package var violations: [Violation]
    /// The text of every event; nil if it was not asked for.
    package var lines: [String]?
}

/// A run of the queue through several lives. The seed decides everything.
package struct Schedule {
    private let world: World
    private let people: People
    private let seed: UInt64
    private var life: Life
    private var steps = 0

    private enum Limit {
        /// The number of steps after which a schedule that settles counts as endless.
        static let steps = 60_000
        /// The maximum simulated time for settling. It is longer than the longest wait that a server asks for.
        static let settling = Duration.seconds(4 * 86_400)
    }

    package static func run(seed: UInt64, mutant: Mutant? = nil, keepsLines: Bool = false) -> SimulationReport
    {
        var schedule = Schedule(seed: seed, mutant: mutant, keepsLines: keepsLines)
        return schedule.run()
    }

    private init(seed: UInt64, mutant: Mutant?, keepsLines: Bool) {
        self.seed = seed
        world = World(seed: seed, mutant: mutant, keepsLines: keepsLines)
        people = People(world: world)
        life = Life(SimulatedDisk(), world: world, isCalm: false)
    }

    private mutating func run() -> SimulationReport {
        start()
        ask(people.command(adding: world.number(in: 1...4)))
        let lives = world.number(in: 1...3)
        for number in 1...lives where isUnharmed {
            for _ in 0..<world.number(in: 30...400) where isUnharmed && world.isAlive(life.number) {
                disturb()
            }
            guard isUnharmed else { break }
            if world.happens(80) { inspect() }
            if number < lives { crash(isCalm: false) }
        }
        if isUnharmed { crash(isCalm: true) }
        if isUnharmed { settle() }
        crashWithoutTrace()
        let violations = world.violations
        return world.with { state in
            SimulationReport(
                seed: seed, digest: state.log.digest, events: state.log.count, lives: lives + 1,
                violations: violations, lines: state.log.lines)
        }
    }

    private var isUnharmed: Bool {
        world.takeComplaints()
        return world.violations.isEmpty
    }

    // Steps.

    /// Performs a random step: something under way continues, or something happens from outside.
    private mutating func disturb() {
        steps += 1
        switch world.number(in: 0...99) {
        case 0..<3: ask(people.command())
        case 3: life.changeLink()
        case 4: life.changeServers()
        case 5: world.with { $0.wallJump += Double(Int.random(in: -3...3, using: &$0.random) * 86_400) }
        case 6: if world.happens(30) { changeFile() }
        case 7..<12: pass()
        case 12..<15: arrive()
        default: go()
        }
    }

    /// Lets one random job, wait or write continue. If there is none, time passes.
    ///
    /// - Returns: False if nothing is under way and no task sleeps.
    @discardableResult
    private mutating func go() -> Bool {
        let isIdle = world.executor.isIdle
        let waits = world.with { $0.waits.count }
        var choices: [Choice] = []
        if !isIdle { choices += [.job, .job, .job] }
        if waits > 0 { choices.append(.wait) }
        if life.journal.hasWaiting { choices.append(.write) }
        if life.journal.hasSnapshotToWrite { choices.append(.snapshot) }
        guard !choices.isEmpty else { return pass() }
        switch choices[world.number(in: 0...choices.count - 1)] {
        case .job: world.executor.runOne { world.number(in: 0...$0 - 1) }
        case .wait:
            let wait = world.with { state in
                state.waits.remove(at: Int.random(in: 0..<state.waits.count, using: &state.random))
            }
            wait.continuation.resume()
        case .write: life.journal.write(atMost: world.number(in: 1...4))
        case .snapshot: life.journal.writeSnapshot()
        }
        return true
    }

    private enum Choice { case job, wait, write, snapshot }

    /// Advances the clock, mostly to the time at which the next task wakes.
    ///
    /// - Returns: False if no task sleeps.
    @discardableResult
    private func pass() -> Bool {
        let next = world.with { state -> ContinuousClock.Instant? in
            guard let next = state.sleepers.map(\.instant).min() else { return nil }
            guard !life.isCalm, state.random.happens(30) else { return next }
            return state.now.advanced(by: .milliseconds(Int.random(in: 1...5000, using: &state.random)))
        }
        guard let next else { return false }
        world.advance(to: next)
        return true
    }

    /// Lets an abandoned request reach its server.
    private func arrive() {
        world.with { state in
            guard let ghost = state.server.ghosts.randomElement(using: &state.random) else { return }
            state.server.vanish(ghost, random: &state.random)
        }
    }

    private func changeFile() {
        world.with { state in
            guard let file = state.versions.keys.sorted().randomElement(using: &state.random) else { return }
            state.versions[file, default: 1] += 1
            state.log.add("file", file)
        }
    }

    // Users.

    private func ask(_ command: QueueCommand) {
        let (queue, people, life, world) = (life.queue, people, life.number, world)
        let before = people.asked(command)
        _ = Task(executorPreference: world.executor) {
            let reply = await queue.perform(command)
            guard world.isAlive(life) else { return }
            people.answered(command, reply, before: before)
        }
    }

    /// Checks the state of the queue between two steps.
    private func inspect() {
        guard world.isAlive(life.number) else { return }
        let isQuiet = world.executor.isIdle && !life.journal.hasWaiting
        let queue = life.queue
        let looked = Box<QueueInspection>()
        _ = Task(executorPreference: world.executor) { looked.value = await queue.inspect() }
        for _ in 0..<10_000 where looked.isEmpty {
            world.executor.runOne { world.number(in: 0...$0 - 1) }
        }
        guard let found = looked.value else {
            return world.violated("I16", "the queue does not answer")
        }
        world.with { $0.watch.inspected(found, isQuiet: isQuiet) }
    }
}

// The starts and ends of lives.
extension Schedule {
    private func start() {
        for _ in 0..<1000 where life.started == nil && world.isAlive(life.number) {
            world.executor.runOne { world.number(in: 0...$0 - 1) }
        }
        if case .failed(let error) = life.started, !life.isFaulty {
            world.violated("I1", "the queue cannot be read: \(error.summary)")
        }
    }

    /// Ends the current life at once, by a kill or a power cut, and starts the next one from the content of the disk.
    private mutating func crash(isCalm: Bool) {
        for attempt in 0..<4 {
            let isPowerCut = world.happens(50) && world.with { !$0.watch.isDiskUncertain }
            let remains = SimulatedDisk.Remains.allCases[world.number(in: 0...3)]
            let names: SimulatedDisk.NameRemains =
                world.happens(20) ? .removals : .first(world.happens(50) ? 0 : world.number(in: 0...5))
            world.with { state in
                state.log.add("crash", isPowerCut ? 1 : 0) { "\(remains) \(names)" }
                state.isAlive = false
                // A life that could not read the queue is not checked, so an earlier power cut still counts.
                if isPowerCut { state.watch.ending = .powerCut }
                for (number, flight) in state.server.flights.sorted(by: { $0.key < $1.key })
                where !flight.isGhost {
                    state.server.letGo(number, random: &state.random)
                }
                state.watch.forgetCommands()
            }
            let disk = isPowerCut ? life.disk.powerCut(keeping: remains, names: names) : life.disk.restarted()
            end()
            let isLast = attempt == 3
            life = Life(disk, world: world, isCalm: isCalm || isLast)
            if isLast, !isCalm { world.with { $0.diskFault = .none } }
            start()
            guard isUnharmed else { return }
            if case .running = life.started, world.isAlive(life.number) {
                if world.happens(15), world.with({ !$0.watch.isDiskUncertain }) {
                    world.checkRecovery(of: life.disk, remains)
                }
                return
            }
        }
        world.violated("I4", "the queue does not come back")
    }

    /// Lets the tasks of an ended life finish.
    private func end() {
        let queue = life.queue
        let isOver = Box<Bool>()
        _ = Task(executorPreference: world.executor) {
            await queue.stop()
            isOver.value = true
        }
        for _ in 0..<20_000 {
            life.journal.abandon()
            world.releaseAll()
            life.endLink()
            if world.executor.isIdle, isOver.value == true { break }
            world.executor.runOne { world.number(in: 0...$0 - 1) }
        }
        if isOver.value != true { world.violated("I16", "the queue does not stop") }
    }

    private func crashWithoutTrace() {
        world.with { $0.isAlive = false }
        end()
    }

    /// Runs without faults and commands until the queue is idle.
    private mutating func settle() {
        let (queue, world) = (life.queue, world)
        // A user may have set the clock back. Uploads with a start date would otherwise wait for days.
        world.with { $0.wallJump = $0.latestJump }
        let isIdle = Box<Bool>()
        _ = Task(executorPreference: world.executor) {
            await queue.waitUntilIdle()
            isIdle.value = true
        }
        let end = world.now.advanced(by: Limit.settling)
        while isIdle.value != true, isUnharmed {
            steps += 1
            guard go() else {
                return world.violated("I16", "nothing moves and the queue is not idle")
            }
            guard steps < Limit.steps, world.now < end else {
                return world.violated("I16", "the queue does not come to rest")
            }
        }
        guard isUnharmed else { return }
        inspect()
        rest()
    }

    /// Stops the idle queue cleanly, and compares what a new recovery finds with the state before.
    private mutating func rest() {
        let queue = life.queue
        let looked = Box<QueueInspection>()
        let isOver = Box<Bool>()
        _ = Task(executorPreference: world.executor) {
            looked.value = await queue.inspect()
            await queue.stop()
            isOver.value = true
        }
        while isOver.value != true, go() {}
        guard let last = looked.value, isOver.value == true else {
            return world.violated("I16", "the queue does not stop")
        }
        for (id, upload) in last.uploads.sorted(by: { $0.key < $1.key }) {
            switch upload.state {
            case .done, .failed, .held: break
            case .paused(let reasons) where reasons.contains(.user): break
            case .queued where upload.waits(in: last.uploads): break
            case .queued, .running, .waiting, .paused:
                world.violated("I16", "upload \(id) is \(upload.state.kind) at the end")
            }
        }
        checkPosts()
        guard let found = try? JournalStore.opened(life.disk.restarted()).recovered else {
            return world.violated("I5", "the queue cannot be read after a clean end")
        }
        // The journal does not record that an upload waits for the network.
        let uploads = last.uploads.mapValues(\.withoutOffline)
        let kept = Ledger.Content(found).uploads.mapValues { $0.withoutOffline.starting(as: uploads[$0.id]) }
        guard kept != uploads else { return }
        let differing = uploads.values.filter { kept[$0.id] != $0 }.sorted { $0.id < $1.id }.first
        world.violated(
            "I5",
            "the queue is not what it was before a clean end: \(differing.map { "\($0)" } ?? "more") was \(differing.flatMap { kept[$0.id] }.map { "\($0)" } ?? "none")"
        )
    }

    /// Checks that no POST was repeated unless a user retried it.
    private func checkPosts() {
        world.with { state in
            for (id, count) in state.server.posted.sorted(by: { $0.key < $1.key }) {
                guard let known = state.watch.uploads[id],
                    count > 1 + known.retries + state.watch.broadRetries
                else { continue }
                state.watch.violated(
                    "I10", "upload \(id) was posted \(count) times after \(known.retries) retries")
            }
        }
    }
}

extension Upload {
    /// Returns true if the upload waits for another one that is not done.
    fileprivate func waits(in uploads: [Upload.ID: Upload]) -> Bool {
        start?.after.contains { range in
            uploads.contains { id, upload in
                if case .done = upload.state { false } else { range.contains(id) }
            }
        } ?? false
    }

    /// Returns this upload without the parts of its start condition that `upload` no longer has. The queue drops a part
    /// in memory as soon as it is met, and in the journal with the upload's next record.
    fileprivate func starting(as upload: Upload?) -> Upload {
        guard let upload else { return self }
        var same = self
        if upload.start?.notBefore == nil { same.start?.notBefore = nil }
        if upload.start?.after.isEmpty ?? true { same.start?.after = [] }
        return same
    }

    fileprivate var withoutOffline: Upload {
        guard case .paused(let reasons) = state else { return self }
        var upload = self
        upload.state = .paused(reasons.subtracting(.offline))
        return upload
    }
}
