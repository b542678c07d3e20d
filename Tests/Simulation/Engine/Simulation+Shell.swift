import FerryConnectivity
import FerryProtocols
import FerryQueueSimulation
import FerryStateSimulation
import FerryTransfer
import FerryUploads

/// Passes events to the queue's core and performs the effects that it returns, as the shell of the queue does.
extension Simulation {
    mutating func send(_ event: CoreEvent) {
        let moment = moment
        guard let effects = engine?.core.handle(event, at: moment) else { return }
        perform(effects)
    }

    /// Passes an event to the core, and registers `waiter` for the reply.
    mutating func ask(_ waiter: Engine.Waiter, _ event: (ReplyID) -> CoreEvent) {
        guard let id = engine?.wait(waiter) else { return }
        send(event(id))
    }

    mutating func perform(_ effects: [CoreEffect]) {
        guard engine?.beginPerforming(effects) == true else { return }
        while let next = engine?.nextEffects() {
            for effect in next { perform(effect) }
        }
    }

    private mutating func perform(_ effect: CoreEffect) {
        guard let life = engine?.life else { return }
        switch effect {
        case .append(let changes, let durability, let ticket): append(changes, durability, ticket)
        case .reply(let id, let result):
            if let waiter = engine?.takeWaiter(id) { answered(waiter, result) }
        case .start(let upload, let run):
            begin(upload, run: run)
            if mutant == .startsAreDoubled { begin(upload, run: run) }
        case .cancel(let id): cancel(id)
        // The engines of the simulation start each upload in a slot of its own, so no host has growth.
        case .measureRoundTrip: break
        case .probe(let host, let number):
            timeline.plan(.probed(life: life, host, number), after: Int64(self.number(in: 20...3000)))
        case .discard(let upload): discard(upload)
        case .invalidateConnections(let reason): invalidateConnections(because: reason)
        case .linkIsAway(let isAway): linkIsAway(isAway)
        case .repair:
            guard let condition = engine?.journal.repair() else { return }
            timeline.plan(.repaired(life: life, condition), after: Int64(number(in: 1...50)))
        case .saveDirty: timeline.plan(.saveDirty(life: life), after: 1)
        case .limitRates(let rates): engine?.rate = rates[.total]
        case .wake(let instant): setTimer(instant)
        case .publish, .abandon, .reclaim, .remember, .retire, .idle: break
        }
    }

    private mutating func setTimer(_ instant: ContinuousClock.Instant?) {
        engine?.timer += 1
        guard let instant, let engine else { return }
        if mutant == .sleepersAreForgotten, happens(10) { return }
        let time = VirtualTime.milliseconds(of: instant)
        timeline.plan(.timer(life: engine.life, engine.timer), after: time - now)
    }

    private mutating func answered(
        _ waiter: Engine.Waiter, _ result: Result<TransactionResult, UploadFailure>
    ) {
        let failure: UploadFailure? = if case .failure(let failure) = result { failure } else { nil }
        switch waiter {
        case .saved(let id, let run): start(id, run: run)
        case .noted(let id, let run): noted(id, run: run, failure)
        case .marked(let flight): marked(flight, failure)
        case .unmarked(let flight, let reply): deliver(reply, of: flight)
        case .cleared(let id, let run): cleared(id, run: run)
        case .ended: break
        case .command(let order): answered(order, result)
        case .savedDirty(let condition): send(condition.map { .repaired($0) } ?? .advance)
        }
    }

    // The disk.

    private mutating func append(_ changes: [QueueChange], _ durability: Durability, _ ticket: Ticket) {
        log.add("append", ticket, changes.count) {
            changes.map(\.text).joined(separator: ", ")
        }
        for case .set(let upload) in changes { check(upload) }
        let entry = judge.ledger.begin(changes)
        engine?.journal.submit(
            .init(changes: changes, durability: durability, ticket: ticket, entry: entry))
        planDisk()
    }

    private mutating func planDisk() {
        guard let engine else { return }
        timeline.plan(.disk(life: engine.life), after: Int64(number(in: 0...(happens(5) ? 2000 : 20))))
    }

    mutating func writeJournal() {
        guard engine?.journal.hasWaiting == true else { return }
        let limit = number(in: 1...6)
        let written = engine?.journal.write(atMost: limit) ?? []
        guard engine?.faults.isKilled == false else { return }
        if engine?.faults.takeSyncFailed() == true { judge.isSyncUncertain = true }
        if engine?.faults.mayKeepRefused == true { judge.ledger.mayKeepRefused = true }
        for (append, result) in written {
            let isAcknowledged = if case .success = result { true } else { false }
            log.add("written", append.ticket, isAcknowledged ? 1 : 0)
            judge.ledger.settle(append.entry, acknowledged: isAcknowledged, durably: append.isDurable)
            if isAcknowledged, append.isDurable { judge.isSyncUncertain = false }
        }
        for (append, result) in written { send(.journaled([(append.ticket, result)])) }
        reportCondition()
        if engine?.journal.hasWaiting == true { planDisk() }
        planSnapshot()
    }

    private mutating func planSnapshot() {
        guard let engine, engine.journal.hasSnapshotToWrite else { return }
        timeline.plan(.snapshot(life: engine.life), after: Int64(number(in: 5...500)))
    }

    mutating func writeSnapshot() {
        let isWritten = engine?.journal.writeSnapshot() ?? false
        guard engine?.faults.isKilled == false else { return }
        if engine?.faults.mayKeepRefused == true { judge.ledger.mayKeepRefused = true }
        if isWritten { judge.isDiskUncertain = false }
        log.add("snapshot", isWritten ? 1 : 0)
        reportCondition()
        planSnapshot()
    }

    private mutating func reportCondition() {
        guard let condition = engine?.journal.condition, condition != engine?.condition else { return }
        engine?.condition = condition
        send(.journalReported(condition))
    }

    mutating func saveDirty(then condition: JournalCondition?) {
        guard let engine else { return }
        let ids = QueueInspection(engine.core, at: moment).unsaved.sorted()
        guard !ids.isEmpty else { return send(condition.map { .repaired($0) } ?? .advance) }
        ask(.savedDirty(condition)) { .transaction(.save(ids, .finding), $0) }
    }
}
