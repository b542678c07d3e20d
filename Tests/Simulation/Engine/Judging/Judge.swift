import FerryProtocols
import FerryQueueSimulation
import FerryTransfer
import FerryUploads
import HTTPTypes

/// Checks the invariants. The judge sees the engine only from outside: its journal, its requests and its responses to
/// users.
struct Judge {
    struct Known {
        /// The upload as it was last passed to the journal.
        var last: Upload?
        /// The upload resource that an attempt last recorded.
        var resource: UploadResource?
        /// The number of bytes sent to the server, by version of the file.
        var wire: [Int64: ByteCount] = [:]
        /// The number of sent bytes that a crash may have prevented the engine from counting.
        var uncounted: ByteCount = 0
        /// The bytes of these that may count as sent again although the server has them.
        var unseen: ByteCount = 0
        var retries = 0
        /// The number of times that the upload left the state failed or held.
        var left = 0
        /// True once a user or a server has done something after which the engine may send bytes again.
        var mayStartOver = false
        /// The result that a user was promised: true if the upload must exist, false if it must not, nil if either is
        /// allowed.
        var isPromised: Bool?

        /// Bytes of all versions of the file that went over the wire.
        var sent: ByteCount { wire.values.reduce(0, +) }
    }

    private(set) var violations: [Violation] = []
    var ledger = Ledger()
    /// True if a sync failed and no later change has been acknowledged as durable.
    var isSyncUncertain = false
    /// True if the disk may lack changes that the previous life wrote. A new snapshot makes it false.
    var isDiskUncertain = false
    var uploads: [Upload.ID: Known] = [:]
    /// The last offset that the client received for each address.
    var confirmed: [String: ByteCount] = [:]
    var parts: [String: Set<Range<ByteCount>>] = [:]
    /// The pause that each host asked for: when it asked, and when the pause ends.
    var pauses: [String: (asked: Int64, end: Int64)] = [:]
    /// The greatest number of concurrent uploads that a user has allowed so far.
    var ceiling = 4
    /// The number of retries by a user, by file.
    private(set) var retries: [Int: Int] = [:]
    /// The number of attempts that began.
    var starts = 0
    var done: Set<Upload.ID> = []

    mutating func violated(_ invariant: Invariant, _ text: String) {
        violations.append(Violation(invariant: invariant, text: text))
    }

    func lastResource(of id: Upload.ID) -> UploadResource? { uploads[id]?.resource }
    func sent(of upload: Upload) -> ByteCount { uploads[upload.id]?.wire[upload.identity.modified] ?? 0 }

    mutating func note(_ resource: UploadResource?, of id: Upload.ID) {
        if let resource { uploads[id, default: Known()].resource = resource }
    }

    /// Records that the server lost confirmed bytes of the upload.
    mutating func lost(_ id: Upload.ID) { uploads[id, default: Known()].mayStartOver = true }
    mutating func serverSaysLost(_ id: Upload.ID) { lost(id) }
}

// Commands of users.
extension Judge {
    mutating func retried(_ retried: [Upload]) {
        for upload in retried { retries[Int(upload.identity.inode), default: 0] += 1 }
        for id in retried.map(\.id) {
            uploads[id, default: Known()].retries += 1
            uploads[id]?.mayStartOver = true
        }
    }

    /// Records that a user asked to try all uploads now, so no pause has to be respected.
    mutating func forced() { pauses = [:] }

    /// Records that a removal was requested. Until its reply arrives, the uploads may exist or not.
    mutating func removing(_ ids: [Upload.ID]) { for id in ids { uploads[id]?.isPromised = nil } }

    /// Records that an undo or redo was requested. Until its reply arrives, every upload may exist or not.
    mutating func undone() {
        for id in uploads.keys {
            uploads[id]?.isPromised = nil
            uploads[id]?.mayStartOver = true
        }
    }

    mutating func answered(_ kind: Order.Kind, _ ids: [Upload.ID]) {
        for id in ids {
            switch kind {
            case .add: uploads[id, default: Known()].isPromised = true
            case .remove:
                uploads[id]?.isPromised = false
                uploads[id]?.mayStartOver = true
            case .pause, .resume, .retry, .move, .limit, .back: break
            }
        }
    }
}

// Requests and responses.
extension Judge {
    /// Checks a request as it reaches its server.
    mutating func check(_ flight: Flight, engine: Engine?) {
        guard case .attempt = flight.purpose, let range = flight.exchange.range else { return }
        let (id, url) = (flight.owner, flight.exchange.url)
        checkSender(flight, engine)
        if flight.exchange.value("Upload-Offset") != nil {
            if !ledger.durableAddresses.contains(url) {
                violated(.addressIsOnDisk, "upload \(id) sends to an address that is not on disk")
            }
            if let confirmed = confirmed[url], range.lowerBound < confirmed {
                violated(
                    .confirmedIsNotSentAgain,
                    "upload \(id) sends from \(range.lowerBound), \(confirmed) are confirmed")
            }
        } else if parts[url]?.contains(range) ?? false {
            violated(.confirmedIsNotSentAgain, "upload \(id) sends a part again that is acknowledged")
        }
    }

    private mutating func checkSender(_ flight: Flight, _ engine: Engine?) {
        guard case .attempt(let run) = flight.purpose, flight.life == engine?.life,
            engine?.attempts[flight.owner]?.run != run
        else { return }
        violated(.oneSender, "upload \(flight.owner): attempt \(run) sends after its end")
    }

    mutating func sent(_ bytes: ByteCount, _ flight: Flight, engine: Engine?) {
        checkSender(flight, engine)
        uploads[flight.owner, default: Known()].wire[flight.version, default: 0] += bytes
    }

    /// Checks a response as it reaches its attempt.
    mutating func delivered(_ reply: ExchangeOutcome, to flight: Flight, site: Site) {
        guard case .responded(let answer) = reply else { return }
        if site.protocolName == "webdav", flight.exchange.range == nil, [423, 500].contains(answer.status) {
            // The protocol notes that the lookup was refused, and the queue takes the note for the server's offset.
            let sent = uploads[flight.owner]?.sent ?? 0
            uploads[flight.owner, default: Known()].unseen = sent
        }
        guard (200..<300).contains(answer.status) else { return }
        let url = flight.exchange.url
        if let offset = answer.fields[.uploadOffset].flatMap({ ByteCount($0) }),
            flight.exchange.method != .post
        {
            confirmed[url] = offset
        } else if let range = flight.exchange.range, flight.exchange.part > 0 {
            parts[url, default: []].insert(range)
        }
        guard flight.exchange.method == .post, let id = uploads[flight.owner], !id.mayStartOver,
            let old = id.resource?.url, let count = confirmed[old], count > 0, !site.isForgetful,
            id.last?.identity.modified == flight.version, site.service.held(at: old) ?? 0 >= count
        else { return }
        violated(
            .confirmedIsNotSentAgain,
            "upload \(flight.owner) begins anew, and the server has \(count) bytes of it")
    }
}

// The starts and ends of attempts.
extension Judge {
    mutating func began(_ upload: Upload, engine: Engine?, sites: [Site], now: Int64) {
        starts += 1
        let id = upload.id
        if engine?.attempts[id] != nil { violated(.oneSender, "upload \(id) has two attempts") }
        let running = (engine?.attempts.count ?? 0) + 1
        // When uploads are stuck at one host, the queue may start one more at each other host.
        if running > ceiling + sites.count { violated(.oneSender, "\(running) run, and \(ceiling) may") }
        guard let host = sites.first(where: { $0.url == upload.target.url })?.host else { return }
        // The queue may have decided the start in the same millisecond in which the response asked for the pause.
        if let (asked, end) = pauses[host], asked < now, now < end - 2 {
            violated(
                .pausesAreKept, "upload \(id) is tried \(end - now) ms before \(host) wants to be asked again"
            )
        }
    }

    mutating func ended(_ attempt: Attempt, _ outcome: UploadAttempt.Outcome, host: String, now: Int64) {
        guard case .failed(let failure) = outcome, failure.status == 503 || failure.status == 429,
            let asked = attempt.askedPause, asked.status == failure.status, asked.seconds < 86_400
        else { return }
        let end = now + Int64(asked.seconds * 1000)
        if let before = pauses[host], before.end >= now {
            pauses[host] = (before.asked, max(before.end, end))
        } else {
            pauses[host] = (now, end)
        }
    }
}

// Changes that are passed to the journal.
extension Judge {
    /// Checks an upload that is passed to the journal.
    ///
    /// - Parameter site: The server of the upload; nil if there is none with its URL.
    mutating func check(_ upload: Upload, at site: Site?) {
        var known = uploads[upload.id] ?? Known()
        if let last = known.last { checkTransition(from: last, to: upload, &known) }
        if let site { check(upload, at: site, &known) }
        if let last = known.last, last.identity != upload.identity { known.mayStartOver = true }
        known.last = upload
        uploads[upload.id] = known
    }

    private mutating func checkTransition(from last: Upload, to upload: Upload, _ known: inout Known) {
        let change = "upload \(upload.id) went from \(last.state.kind) to \(upload.state.kind)"
        switch (last.state, upload.state) {
        case (.done, .done), (.failed, .failed), (.held, .held): break
        case (.done, _): violated(.endsAreFinal, change)
        case (.failed, _), (.held, _):
            known.left += 1
            if known.left > known.retries { violated(.endsAreFinal, "\(change), and nobody asked for it") }
        default: break
        }
    }

    private mutating func check(_ upload: Upload, at site: Site, _ known: inout Known) {
        let id = upload.id
        if let resource = upload.resource, resource != known.last?.resource {
            let isCounted = ["tus", "resumable", "s3"].contains(site.protocolName) && !site.isForgetful
            if isCounted, let held = site.service.held(at: resource.url), resource.confirmed > held {
                violated(
                    .confirmedIsThere,
                    "upload \(id): \(resource.confirmed) bytes are confirmed, \(held) are there")
            }
        }
        guard case .done(let receipt, _) = upload.state, known.last?.isDone != true else { return }
        done.insert(id)
        let (version, size) = (upload.identity.modified, upload.size)
        let whole = Content(file: Int(upload.identity.inode), version: version, range: 0..<size)
        if !site.service.holds(whole, of: id) || receipt.bytes != size {
            let isSpliced = site.service.hasSpliced(of: id, size: size)
            violated(
                isSpliced ? .nothingIsSpliced : .doneIsThere,
                "upload \(id) is done, and the server \(isSpliced ? "has other bytes" : "does not have it")")
        }
        // The simulated link has no buffer between the count and the wire. A chunk counts on both sides as it leaves,
        // and a broken request reports what had left, so no break makes the count too high. It may be too low by what
        // a crash forgot, and by what was sent of a version that a user's retry replaced.
        let reported = size + upload.tries.resent
        if reported > known.sent + known.unseen || reported < (known.wire[version] ?? 0) - known.uncounted {
            violated(
                .sentBytesAreCounted,
                "upload \(id): \(known.sent) bytes were sent of \(size), and \(upload.tries.resent) reported as sent again"
            )
        }
    }
}

// Crashes and recoveries.
extension Judge {
    mutating func crashed() {
        if isSyncUncertain { isDiskUncertain = true }
        isSyncUncertain = false
        pauses = [:]
        for (id, known) in uploads { uploads[id]?.uncounted = known.sent }
    }

    mutating func recovered(_ recovered: Recovered, after ending: Ledger.Ending) {
        let found = Ledger.Content(recovered)
        if !ledger.explains(found, after: ending) {
            violated(
                .nothingAcknowledgedIsLost, "after a \(ending.rawValue) the queue is not what was accepted")
        }
        for id in uploads.keys.sorted() {
            guard let known = uploads[id] else { continue }
            switch (known.isPromised, found.uploads[id]) {
            case (true, nil): violated(.nothingAcknowledgedIsLost, "upload \(id) is lost")
            case (false, .some): violated(.nothingAcknowledgedIsLost, "upload \(id) was removed and is back")
            default: break
            }
            guard let upload = found.uploads[id] else {
                // The queue may give the number of this upload to another one.
                uploads[id] = known.isPromised == nil ? nil : known
                continue
            }
            uploads[id]?.last = upload
        }
        ledger = Ledger(from: found)
    }
}
