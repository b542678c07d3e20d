import FerryProtocols
import FerryTransfer

/// A change of the queue that the journal writes as one record. Most changes apply both on disk and in memory, or not
/// at all. The changes `save` and `record` stay in memory even if the disk refuses them.
package enum Transaction: Sendable {
    /// Changes uploads, and pauses or resumes batches.
    ///
    /// - `pausing`, `resuming`: The batches to pause or to resume. An upload that is added to a paused batch is paused.
    case change([Upload.ID], UploadChange, pausing: Set<String> = [], resuming: Set<String> = [])
    case move([Upload.ID], QueueMove)
    case setRanks([Upload.ID: Int64])
    case add([NewUpload], AddRule)
    case remove([Upload.ID])
    /// Removes done uploads from the queue. The history must already contain them.
    case retire([Upload.ID])
    /// Puts removed uploads back into the queue.
    ///
    /// - `orphaned`: The uploads that waited for a removed upload and were therefore held, each with its state before
    ///   the removal. Those that are still held return to these states.
    case putBack([Upload.ID], orphaned: [Upload.ID: Upload.State])
    /// Sets the bandwidth limit of a scope: of all uploads, a destination or a batch. Nil restores the configured
    /// limit.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Sets the number of uploads that run at once; nil restores the configured number.
    case limitConcurrency(Int?)
    /// Writes the current states of uploads. If the disk refuses them, they stay in memory and are written again later.
    case save([Upload.ID], Durability)
    /// Writes the current state of an upload that an attempt has changed. If the disk refuses the state, it stays in
    /// memory. If `durably` is true, the attempt also receives the failure of the write.
    case record(Upload.ID, durably: Bool)

    /// The rule that selects which of the given files to add.
    package enum AddRule: Sendable {
        case all
        /// Adds each file, except if another command is adding it already. Also leaves out a file if the queue has an
        /// upload that makes a new one unnecessary. The `Match` decides whether an upload does so.
        case missing(DuplicateFilter.Match)
        /// Adds all files, which the watcher of a folder has found complete. The transaction fails if another command
        /// is adding one of them.
        case settled
        /// Adds all files. The rule `missing` or `settled` has already been applied to them.
        case admitted
    }
}

/// A change that is applied to each of the given uploads.
package enum UploadChange: Sendable {
    case pause
    case resume
    /// Retries uploads.
    ///
    /// - `identities`: The current version of each file that had changed or could not be read.
    /// - `startsEarly`: Whether queued uploads lose their start conditions, so that they can start at once.
    case retry(identities: [Upload.ID: FileIdentity], startsEarly: Bool)
    /// Makes the upload send this version of the file instead of the version that was queued.
    case renew(FileIdentity)
    case setRanks([Upload.ID: Int64])

    /// - Returns: False if the change does not apply to the upload, which then stays as it is.
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
}

/// The result of a transaction.
package struct TransactionResult: Sendable {
    /// The uploads that the transaction changed, added, removed or put back.
    package var ids: [Upload.ID] = []
    /// True if an added upload is paused because its batch is paused.
    var isPaused = false
    /// The uploads that the transaction removed from the queue, in their last state.
    var gone: [Upload] = []
    /// The action with which the command `undo` undoes the transaction. The action `refuseUndoOfRetry` makes `undo`
    /// fail. Nil if `undo` ignores the transaction.
    package var undo: UndoAction?
}

/// The transactions whose records are being written to the journal, and the transactions that wait for other
/// transactions or for the end of attempts.
struct TransactionLog {
    struct Submission {
        var transaction: Transaction
        var reply: ReplyID?
    }

    /// A transaction whose record is being written to the journal. It contains the values that are needed to process
    /// the journal's result.
    enum InFlight {
        case change([ChangedUpload], UploadChange, SettingsChange)
        case add([Upload], awaited: [Upload.ID])
        case takeOut([Upload.ID], held: [Upload], isRemoval: Bool)
        case putBack([Upload], waiting: [Upload], locked: [Upload.ID])
        case settings(before: QueueSettings, undo: UndoAction)
        case save([Upload], begun: Int)
        case record(Upload.ID, durably: Bool)
    }

    struct ChangedUpload {
        var before: Upload
        var after: Upload
        /// The instant at which the upload's wait for a retry ends without this change. Nil if the upload did not wait
        /// before the change. If the journal refuses the change, the wait is restored from this instant.
        var wakes: ContinuousClock.Instant?
    }

    struct SettingsChange {
        var paused: Set<String>
        var resumed: Set<String>
        var firstAdded: Upload.ID = .max

        var isEmpty: Bool { paused.isEmpty && resumed.isEmpty }
    }

    var blocked: [Submission] = []
    private var inFlight: [Ticket: (InFlight, ReplyID?)] = [:]
    private var lastTicket: Ticket = 0
    /// The files that commands are adding now, each with its target. No second command adds such a file until the
    /// journal has reported the result. The set lacks files that are added by `AddRule.all`, because they are allowed
    /// to be in the queue twice.
    var pendingAdds: Set<UploadKey> = []

    /// True while the record of a limit is being written to the journal. Later changes of limits wait, because the
    /// earlier limits are restored if the journal refuses the record.
    var isSetting: Bool {
        inFlight.values.contains { flight in
            if case .settings = flight.0 { true } else { false }
        }
    }

    /// True while the record of a move is being written to the journal. Later moves wait, because the earlier ranks are
    /// restored if the journal refuses the record.
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
