import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// An invariant that did not hold.
package struct Violation: Sendable {
    /// The number of the invariant, `I1` to `I17`.
    package var invariant: String
    package var text: String
}

/// The facts about every upload as seen from outside, and the invariants that follow from them.
struct Watch {
    /// The progress of a command.
    enum Progress: Comparable { case no, asked, acknowledged }

    struct Wait {
        var until: ContinuousClock.Instant
        var failure: UploadFailure
    }

    struct Known {
        var isAdded = false
        var removal = Progress.no
        /// A pause was acknowledged and nothing that lifts it has been asked since.
        var isPaused = false
        var wasShownDone = false
        /// Retries asked for, and how often it left a state that only a retry ends.
        var retries = 0
        var left = 0
        var resumes = 0
        var lifted = 0
        /// The upload as it was last written.
        var last: Upload?
        var senders = 0
        var attempts: Int?
        var networkFailures = 0
        /// The moment before which it must not be retried.
        var notBefore: Wait?
        /// The condition that must hold before it starts, unless a user says otherwise.
        var condition: Upload.StartCondition?
        /// Seconds that the server asked this attempt to wait.
        var asked = 0.0
        /// True if it was held when it was last written.
        var isHeld: Bool { if case .held = last?.state { true } else { false } }
        /// Bytes of appends with a response, and what makes some of them allowed twice.
        var answered: ByteCount = 0
        var allowance: ByteCount = 0
    }

    var violations: [Violation] = []
    var ledger = Ledger()
    var ending = Ledger.Ending.kill
    /// A sync failed and nothing has been acknowledged as durable since.
    var isSyncUncertain = false
    /// The process before ended so. What it left is read from memory, no sync puts it on disk, and only a new snapshot
    /// does: until then a power cut may take it.
    var isDiskUncertain = false
    var uploads: [Upload.ID: Known] = [:]
    /// The uploads whose last attempt ended well. One that is removed then counts as done for what is to start after
    /// it.
    var finished: Set<Upload.ID> = []
    /// The uploads that are done, on disk too.
    var done: Set<Upload.ID> = []
    /// The most that were ever allowed to run at once.
    var ceiling = 4
    var resumesAsked = 0
    var resumesUnderWay = 0
    var removalsUnderWay = 0
    var undosAsked = 0
    var undosUnderWay = 0
    /// Retries and resumptions of whatever there is when the queue comes to them.
    var broadRetries = 0
    var broadResumes = 0
    /// Commands that may end a wait at any moment.
    var commandsUnderWay = 0
    /// The time when the network was last reported to be back, by the count of events.
    var lastReturn = -1000

    mutating func violated(_ invariant: String, _ text: String) {
        violations.append(Violation(invariant: invariant, text: text))
    }
}

// What is written down.
extension Watch {
    mutating func willWrite(_ changes: [QueueChange], server: SimulatedServer) -> Int {
        for change in changes {
            switch change {
            case .set(let upload): check(upload, server: server)
            case .remove(let id):
                if removalsUnderWay == 0 { violated("I6", "upload \(id) is removed and nobody asked for it") }
                if let known = uploads[id] { uploads[id]?.removal = max(known.removal, .asked) }
            case .settings: break
            }
        }
        return ledger.begin(changes)
    }

    mutating func wrote(_ entry: Int, _ changes: [QueueChange], acknowledged: Bool, durably: Bool) {
        ledger.settle(entry, acknowledged: acknowledged, durably: durably)
        if acknowledged, durably { isSyncUncertain = false }
        if acknowledged { noteDone(changes) }
        guard !acknowledged else { return }
        // What was refused is undone, so nothing follows from it.
        for case .set(let upload) in changes {
            uploads[upload.id]?.last = nil
            // A refused pause is lifted again by the queue itself, perhaps after it was written with something else.
            if case .paused = upload.state { uploads[upload.id]?.resumes += 1 }
        }
    }

    private mutating func noteDone(_ changes: [QueueChange]) {
        for case .set(let upload) in changes {
            if case .done = upload.state { done.insert(upload.id) }
        }
    }

    private mutating func check(_ upload: Upload, server: SimulatedServer) {
        var known = uploads[upload.id] ?? Known(condition: upload.start)
        let id = upload.id
        if let last = known.last { checkTransition(from: last, to: upload, &known) }
        // What the server lost since it said so is found out by the next attempt.
        if let resource = upload.resource, resource != known.last?.resource {
            let making = server.makings[resource.url]
            let losses = making?.losses ?? 0
            if resource.confirmed < 0 || resource.confirmed > upload.size {
                violated("I8", "upload \(id): \(resource.confirmed) of \(upload.size) bytes are confirmed")
            }
            if let making, losses == 0, resource.confirmed > making.mostHeld {
                violated(
                    "I8",
                    "upload \(id): \(resource.confirmed) bytes are confirmed, the server held \(making.mostHeld)"
                )
            }
            if let before = known.last?.resource, before.url == resource.url,
                resource.confirmed < before.confirmed, losses == 0, making != nil
            {
                violated(
                    "I8", "upload \(id): \(resource.confirmed) bytes are confirmed after \(before.confirmed)")
            }
        }
        if case .done(let receipt, _) = upload.state {
            if !(server.whole[id]?.contains(upload.identity.modified) ?? false)
                || receipt.bytes != upload.size
            {
                violated("I9", "upload \(id) is done and the server does not have this version of it")
            }
        }
        known.last = upload
        uploads[id] = known
    }

    private mutating func checkTransition(from last: Upload, to upload: Upload, _ known: inout Known) {
        let change = "upload \(upload.id) went from \(last.state.kind) to \(upload.state.kind)"
        switch (last.state, upload.state) {
        case (.done, .done): break
        case (.done, _): violated("I6", change)
        case (.failed, .failed), (.held, .held): break
        // What it was to start after had been removed, and is put back.
        case (.held, .queued) where upload.start != nil, (.held, .paused) where upload.start != nil: break
        case (.failed, _), (.held, _):
            known.left += 1
            // A retry of what is held as another one was removed starts it without that.
            known.condition = nil
            if known.left > known.retries + broadRetries {
                violated("I6", "\(change) and nobody asked for it")
            }
        case (.paused(let reasons), .paused(let others))
        where reasons.contains(.user) && !others.contains(.user):
            known.lifted += 1
        case (.paused(let reasons), let state) where reasons.contains(.user):
            switch state {
            case .paused, .done: break
            // What it was to start after is removed: that a person must decide replaces the pause.
            case .held where upload.start != nil: known.isPaused = false
            default: known.lifted += 1
            }
        default: break
        }
        if known.lifted > known.resumes + broadResumes {
            violated("I6", "\(change): a person's pause was lifted by nobody")
        }
    }
}

extension Watch {
    mutating func forgetCommands() {
        (commandsUnderWay, resumesUnderWay, removalsUnderWay, undosUnderWay) = (0, 0, 0, 0)
    }

    /// The number of requests for whatever lifts a pause or takes a removal back.
    struct Asked {
        /// Nil while one is on its way: a pause or a removal that meets one promises nothing.
        var resumes: Int?
        var undos: Int?
    }

    /// True if both are counts and equal: nothing was asked for meanwhile, and nothing is on its way.
    func isAlone(_ before: Int?, _ now: Int?) -> Bool { now != nil && now == before }

    /// The progress of a removal that has a response, and was asked for at `before`.
    func removal(since before: Asked) -> Progress {
        isAlone(before.undos, askedSoFar.undos) ? .acknowledged : .asked
    }

    var askedSoFar: Asked {
        Asked(
            resumes: resumesUnderWay == 0 ? resumesAsked : nil, undos: undosUnderWay == 0 ? undosAsked : nil)
    }
}

// What is read back.
extension Watch {
    mutating func recovered(_ recovered: Recovered) {
        let content = Ledger.Content(recovered)
        if !ledger.explains(content, after: ending) {
            violated("I2", "after a \(ending.rawValue) the queue is not what was accepted")
        }
        if content.uploads.count != recovered.uploads.count { violated("I6", "an id is there twice") }
        for id in uploads.keys.sorted() {
            guard var known = uploads[id] else { continue }
            let found = content.uploads[id]
            guard known.isAdded || found != nil else {
                // No command returned it: its number may be given again.
                uploads[id] = nil
                continue
            }
            check(found, known, id)
            known.isPaused = known.isPaused && found != nil
            known.last = found.map { upload in
                var upload = upload
                if case .running = upload.state { upload.state = .queued }
                return upload
            }
            known.senders = 0
            // A refused record may be on disk all the same.
            known.condition = found.map(\.start) ?? nil
            known.attempts = nil
            known.notBefore = nil
            uploads[id] = known
        }
        for upload in recovered.uploads where uploads[upload.id] == nil {
            uploads[upload.id] = Known(isAdded: true, last: upload, condition: upload.start)
        }
        noteDone(recovered.uploads.map(QueueChange.set))
        for upload in recovered.uploads { uploads[upload.id]?.isAdded = true }
        ledger = Ledger(from: content)
        ending = .kill
        if isSyncUncertain { isDiskUncertain = true }
        isSyncUncertain = false
    }

    private mutating func check(_ found: Upload?, _ known: Known, _ id: Upload.ID) {
        guard let found else {
            if known.isAdded, known.removal == .no { violated("I1", "upload \(id) is lost") }
            return
        }
        if known.removal == .acknowledged { violated("I1", "upload \(id) was removed and is back") }
        switch found.state {
        case .done: return
        case .paused(let reasons) where reasons.contains(.user): break
        case .held where found.start != nil: break
        default:
            if known.isPaused { violated("I1", "upload \(id) was paused and is \(found.state.kind)") }
        }
        if known.wasShownDone { violated("I1", "upload \(id) was done and is \(found.state.kind)") }
    }
}

// The running uploads.
extension Watch {
    mutating func began(_ upload: Upload, now: ContinuousClock.Instant) {
        var known = uploads[upload.id] ?? Known()
        known.senders += 1
        if known.senders > 1 { violated("I7", "upload \(upload.id) has \(known.senders) senders") }
        if let wait = known.notBefore, now < wait.until {
            violated(
                "I12",
                "upload \(upload.id) is tried \(now.duration(to: wait.until)) too soon: \(wait.failure.summary)"
            )
        }
        known.notBefore = nil
        known.asked = 0
        if let condition = known.condition { check(condition, of: upload.id) }
        known.condition = nil
        if let attempts = known.attempts, upload.tries.attempts > attempts + 1 {
            violated("I12", "upload \(upload.id) counts attempts that were not made")
        }
        if upload.tries.network > known.networkFailures {
            violated("I12", "upload \(upload.id) counts failures that were not")
        }
        known.attempts = upload.tries.attempts
        uploads[upload.id] = known
        let running = uploads.values.reduce(0) { $0 + $1.senders }
        // For each upload that is stuck at one host each other host may have one.
        let most = ceiling + Site.allCases.count - 1
        if running > most { violated("I6", "\(running) run, and \(most) may") }
    }

    private mutating func check(_ condition: Upload.StartCondition, of id: Upload.ID) {
        if condition.notBefore != nil { violated("I12", "upload \(id) starts before its time") }
        for other in condition.after.joined()
        where !done.contains(other) && !(finished.contains(other) && uploads[other]?.removal != .no) {
            violated("I12", "upload \(id) starts before \(other) is done")
        }
    }

    /// The queue has looked at the wall clock: what was to start then may start from now on.
    mutating func read(_ date: Date) {
        for (id, known) in uploads {
            if let time = known.condition?.notBefore, time <= date { uploads[id]?.condition?.notBefore = nil }
        }
    }

    mutating func ended(
        _ id: Upload.ID, failure: UploadFailure?, isCancelled: Bool, base: Double,
        now: ContinuousClock.Instant, event: Int
    ) {
        uploads[id]?.senders -= 1
        guard let failure else { return }
        if failure.category == .network { uploads[id]?.networkFailures += 1 }
        // What ends waits may have been sent and not yet received.
        guard failure.isTransient, !isCancelled, commandsUnderWay == 0,
            failure.category == .server || event - lastReturn > 300
        else { return }
        // A response with such a wish may have been lost.
        let asked = failure.category == .server ? uploads[id]?.asked ?? 0 : 0
        let seconds = max(base / 10, asked)
        uploads[id]?.notBefore = Wait(
            until: now.advanced(by: .seconds(seconds) - .milliseconds(2)), failure: failure)
    }

    /// The network is back, or so it seems: what waited for that may be tried.
    mutating func networkReturned(event: Int) {
        lastReturn = event
        for (id, known) in uploads where known.notBefore?.failure.category == .network {
            uploads[id]?.notBefore = nil
        }
    }

    mutating func inspected(_ queue: QueueInspection, isQuiet: Bool) {
        let pending = queue.uploads.values.count { upload in
            switch upload.state {
            case .queued, .running, .waiting: true
            case .paused(let reasons): reasons == .offline
            case .held, .done, .failed: false
            }
        }
        if pending != queue.pending {
            violated("I6", "\(pending) are pending, \(queue.pending) were counted")
        }
        if Set(queue.uploads.values.map(\.rank)).count != queue.uploads.count {
            violated("I6", "two uploads have one rank")
        }
        guard queue.isAccepting, isQuiet else { return }
        for (id, upload) in queue.uploads {
            switch upload.state {
            case .running:
                if !queue.runs.contains(id) { violated("I16", "upload \(id) is running and nothing runs it") }
            case .waiting:
                if !queue.waits.contains(id) { violated("I16", "upload \(id) waits and nothing wakes it") }
                if !queue.hasTimer { violated("I16", "upload \(id) waits and there is no timer") }
            case .queued where upload.start != nil:
                if !queue.starts.contains(id) {
                    violated("I16", "upload \(id) is to start and nothing starts it")
                }
                if upload.start?.after.isEmpty == true, !queue.hasTimer {
                    violated("I16", "upload \(id) waits for its time and there is no timer")
                }
            case .queued, .paused, .held, .done, .failed: break
            }
        }
    }
}
