import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// A violation of an invariant.
package struct Violation: Sendable {
    /// The number of the invariant, `I1` to `I17`.
    package var invariant: String
    package var text: String
}

/// Checks the invariants. It sees the uploads only from outside: the journal, the requests and the replies to users.
struct Watch {
    /// The progress of a user's command.
    enum Progress: Comparable { case no, asked, acknowledged }

    struct Wait {
        var until: ContinuousClock.Instant
        var failure: UploadFailure
    }

    struct Known {
        var isAdded = false
        var removal = Progress.no
        /// True if a pause was acknowledged and no command that lifts it was sent since.
        var isPaused = false
        var wasShownDone = false
        /// The number of requested retries, and the number of times that the upload left the state failed or held.
        var retries = 0
        var left = 0
        var resumes = 0
        var lifted = 0
        /// The upload as it was last passed to the journal; nil if that change was refused.
        var last: Upload?
        var senders = 0
        var attempts: Int?
        var networkFailures = 0
        /// The time before which the upload must not be tried again; nil if there is none.
        var notBefore: Wait?
        /// The start condition that must hold before the first attempt; nil if there is none.
        var condition: Upload.StartCondition?
        /// The wait in seconds that the server asked for in the current attempt.
        var asked = 0.0
        /// True if the upload was last passed to the journal as held.
        var isHeld: Bool { if case .held = last?.state { true } else { false } }
        /// The bytes of acknowledged appends, and the number of bytes that may be sent again.
        var answered: ByteCount = 0
        var allowance: ByteCount = 0
    }

    var violations: [Violation] = []
    var ledger = Ledger()
    var ending = Ledger.Ending.kill
    /// True if a sync failed and no later change has been acknowledged as durable.
    var isSyncUncertain = false
    /// True if `isSyncUncertain` was true when the previous process ended. Its last changes may be only in the page
    /// cache until a new snapshot is written, so a power cut can lose them.
    var isDiskUncertain = false
    var uploads: [Upload.ID: Known] = [:]
    /// The uploads whose last attempt succeeded. If one of them is removed, uploads that wait for it may start.
    var finished: Set<Upload.ID> = []
    /// The uploads that are recorded as done on disk.
    var done: Set<Upload.ID> = []
    /// The greatest limit of concurrent uploads so far.
    var ceiling = 4
    var resumesAsked = 0
    var resumesUnderWay = 0
    var removalsUnderWay = 0
    var undosAsked = 0
    var undosUnderWay = 0
    /// The number of retries and of resumptions that apply to all uploads or to a kind of them, not to chosen ones.
    var broadRetries = 0
    var broadResumes = 0
    /// The number of commands under way. Each may end a wait at any time.
    var commandsUnderWay = 0
    /// The number of the event at which the network last returned.
    var lastReturn = -1000

    mutating func violated(_ invariant: String, _ text: String) {
        violations.append(Violation(invariant: invariant, text: text))
    }
}

// Changes that are passed to the journal.
extension Watch {
    mutating func willWrite(_ changes: [QueueChange], server: SimulatedServer) -> Int {
        for change in changes {
            switch change {
            case .set(let upload): check(upload, server: server)
            case .setState(let ids, let state):
                for id in ids {
                    guard var upload = uploads[id]?.last else { continue }
                    upload.state = state
                    check(upload, server: server)
                }
            case .remove(let id): checkRemoval(of: id)
            case .removeAll(let ids): for id in ids { checkRemoval(of: id) }
            case .settings: break
            }
        }
        return ledger.begin(changes)
    }

    private mutating func checkRemoval(of id: Upload.ID) {
        if removalsUnderWay == 0 { violated("I6", "upload \(id) is removed and nobody asked for it") }
        if let known = uploads[id] { uploads[id]?.removal = max(known.removal, .asked) }
    }

    mutating func wrote(_ entry: Int, _ changes: [QueueChange], acknowledged: Bool, durably: Bool) {
        ledger.settle(entry, acknowledged: acknowledged, durably: durably)
        if acknowledged, durably { isSyncUncertain = false }
        if acknowledged { noteDone(changes) }
        guard !acknowledged else { return }
        // A refused change is undone, so it implies nothing for the next one.
        for change in changes {
            switch change {
            case .set(let upload): forget(upload.id, upload.state)
            case .setState(let ids, let state): for id in ids { forget(id, state) }
            case .remove, .removeAll, .settings: break
            }
        }
    }

    private mutating func forget(_ id: Upload.ID, _ refused: Upload.State) {
        uploads[id]?.last = nil
        // A retry of a held upload drops its start condition, and is not recognized without the state before.
        if case .held = refused { uploads[id]?.condition = nil }
        // The queue itself lifts a pause that was refused. The pause may have been written before, together with another
        // change.
        if case .paused = refused { uploads[id]?.resumes += 1 }
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
        // The client learns of a loss at the server only with its next attempt.
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
        // An upload that it starts after was removed, and the removal was undone.
        case (.held, .queued) where upload.start != nil, (.held, .paused) where upload.start != nil: break
        case (.failed, _), (.held, _):
            known.left += 1
            // Retrying an upload that is held because another one was removed drops the start condition.
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
            // An upload that it starts after was removed. The upload is then held instead of paused.
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

    /// The number of commands so far that can lift a pause (`resumes`) or undo a removal (`undos`).
    struct Asked {
        /// Nil while such a command is under way. A pause or removal at the same time then promises nothing.
        var resumes: Int?
        var undos: Int?
    }

    /// Returns true if no such command was sent between the two counts and none is under way.
    func isAlone(_ before: Int?, _ now: Int?) -> Bool { now != nil && now == before }

    /// Returns the progress of a removal after its reply.
    ///
    /// - Parameter before: The counts when the removal was sent.
    func removal(since before: Asked) -> Progress {
        isAlone(before.undos, askedSoFar.undos) ? .acknowledged : .asked
    }

    var askedSoFar: Asked {
        Asked(
            resumes: resumesUnderWay == 0 ? resumesAsked : nil, undos: undosUnderWay == 0 ? undosAsked : nil)
    }
}

// Recoveries.
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
                // No command returned the number of this upload, so the queue may give it to another one.
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
            // A refused record may still be on disk.
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

// Attempts.
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
        // When uploads are stuck at one host, the queue may start one more at each other host.
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

    /// Records that the queue has read the wall clock. Uploads whose start date has come may start from now on.
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
        // A command or report that ends waits may have been sent and not yet handled.
        guard failure.isTransient, !isCancelled, commandsUnderWay == 0,
            failure.category == .server || event - lastReturn > 300
        else { return }
        // The response that asked for the wait may have been lost.
        let asked = failure.category == .server ? uploads[id]?.asked ?? 0 : 0
        let seconds = max(base / 10, asked)
        uploads[id]?.notBefore = Wait(
            until: now.advanced(by: .seconds(seconds) - .milliseconds(2)), failure: failure)
    }

    /// Records that the network may have returned: uploads that wait for it may be tried.
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
