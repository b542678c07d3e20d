import FerryProtocols
import FerryTransfer

/// A change of the queue that the journal writes as one record. If the disk refuses it, it does not apply in memory
/// either, except for `save` and `record`, which are written again later.
package enum Transaction: Sendable {
    /// Changes uploads, and pauses or resumes batches, to which uploads are possibly added later.
    case change([Upload.ID], UploadChange, pausing: Set<String> = [], resuming: Set<String> = [])
    case move([Upload.ID], QueueMove)
    case setRanks([Upload.ID: Int64])
    case add([NewUpload], AddRule)
    case remove([Upload.ID])
    /// Removes done uploads, which the history contains, from the queue.
    case retire([Upload.ID])
    /// Puts removed uploads back into the queue. The `orphaned` uploads, which waited for one of them and are still
    /// held, return to these states.
    case putBack([Upload.ID], orphaned: [Upload.ID: Upload.State])
    /// Sets the bandwidth limit of a scope; nil restores the configured limit.
    case limitBandwidth(Bandwidth?, LimitScope)
    case limitConcurrency(Int?)
    case save([Upload.ID], Durability)
    /// Writes the state of an upload that an attempt has changed. If `durably`, the attempt receives a failure.
    case record(Upload.ID, durably: Bool)

    /// The rule that selects which of the given files to add.
    package enum AddRule: Sendable {
        case all
        /// Adds the files that no other command is adding, and that no upload of the queue makes unnecessary.
        case missing(DuplicateFilter.Match)
        /// Adds all files, which a watcher has found complete. Fails if another command is adding one of them.
        case settled
        /// Adds all files, to which the rule `missing` or `settled` has been applied, and which have this mark.
        case admitted(PendingAdds.Mark)
    }
}

/// A change that is applied to each of the given uploads.
package enum UploadChange: Sendable {
    case pause
    case resume
    /// Retries uploads, with the current versions of those files that had changed or could not be read. If
    /// `startsEarly`, queued uploads lose their start conditions.
    case retry(identities: [Upload.ID: FileIdentity], startsEarly: Bool)
    case renew(FileIdentity)
    case setRanks([Upload.ID: Int64])

    func apply(to upload: inout Upload) -> Bool {
        switch self {
        case .pause: return upload.pause()
        case .resume: return upload.resume()
        case .retry(let identities, let startsEarly):
            let before = upload.identity
            guard upload.retry(identity: identities[upload.id], startsEarly: startsEarly) else {
                return false
            }
            // No byte of the new version of the file has been sent.
            if upload.identity != before { upload.tries.sent = 0 }
            return true
        case .renew(let identity): return upload.renew(identity)
        case .setRanks(let ranks):
            guard let rank = ranks[upload.id] else { return false }
            upload.rank = rank
            return true
        }
    }

    /// True if the change affects only the state of an upload.
    var isOfState: Bool {
        switch self {
        case .pause, .resume: true
        case .retry, .renew, .setRanks: false
        }
    }
}

/// The result of a transaction.
package struct TransactionResult: Sendable {
    package var ids: [Upload.ID] = []
    var isPaused = false
    /// The action that undoes the transaction; nil if `undo` ignores the transaction.
    package var undo: UndoAction?
}

/// The transactions whose records are being written, and those that wait for others or for the end of attempts.
struct TransactionLog {
    /// A transaction whose record is being written, with the values that its end needs.
    enum InFlight {
        case change(ChangedUploads, UploadChange, SettingsChange)
        /// The added uploads, as the changes of the record: a second array of a million would take much memory.
        case add([QueueChange], awaited: [Upload.ID], PendingAdds.Mark?)
        case takeOut([Upload.ID], held: [Upload], isRemoval: Bool)
        /// The uploads that are put back, `count` of them, and those that waited for them, as the changes of the record.
        case putBack([QueueChange], count: Int, locked: [Upload.ID])
        case settings(before: QueueSettings, undo: UndoAction)
        case save([Upload], begun: Int)
        case record(Upload.ID, durably: Bool)
    }

    struct SettingsChange {
        var paused: Set<String>
        var resumed: Set<String>
        var firstAdded: Upload.ID = .max

        var isEmpty: Bool { paused.isEmpty && resumed.isEmpty }
    }

    var blocked: [(Transaction, ReplyID?)] = []
    private var inFlight: [Ticket: (InFlight, ReplyID?)] = [:]
    private var lastTicket: Ticket = 0
    var pendingAdds = PendingAdds()

    /// True while the record of a limit is being written. Later changes wait, as the earlier limits can return.
    var isSetting: Bool {
        inFlight.values.contains { flight in
            if case .settings = flight.0 { true } else { false }
        }
    }

    /// True while the record of a move is being written. Later moves wait, as the earlier ranks can return.
    var isMoving: Bool {
        inFlight.values.contains { flight in
            if case .change(_, .setRanks, _) = flight.0 { true } else { false }
        }
    }

    mutating func begin(_ flight: InFlight, _ reply: ReplyID?) -> Ticket {
        lastTicket += 1
        inFlight[lastTicket] = (flight, reply)
        return lastTicket
    }

    mutating func end(_ ticket: Ticket) -> (InFlight, ReplyID?)? { inFlight.removeValue(forKey: ticket) }
}
