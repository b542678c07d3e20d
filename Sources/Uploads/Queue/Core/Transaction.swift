import FerryProtocols
import FerryTransfer

/// A change of the queue that the journal writes as one record. It applies on disk and in memory, or not at all; the
/// cases that differ say so.
package enum Transaction: Sendable {
    /// - `pausing`, `resuming`: The batches to pause or to resume. Uploads that are added to a paused batch begin
    ///   paused.
    case change([Upload.ID], UploadChange, pausing: Set<String> = [], resuming: Set<String> = [])
    case move([Upload.ID], QueueMove)
    case setRanks([Upload.ID: Int64])
    case add([NewUpload], AddRule)
    case remove([Upload.ID])
    /// Removes done uploads from the queue. The history must already contain them.
    case retire([Upload.ID])
    /// - `orphaned`: The uploads that the removal held because they were to start after a removed one, with their
    ///   earlier states. Those that are still held return to these states.
    case putBack([Upload.ID], orphaned: [Upload.ID: Upload.State])
    /// Sets the bandwidth limit of a scope; nil restores the configured limit.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Sets the number of uploads that run at once; nil restores the configured number.
    case limitConcurrency(Int?)
    /// Writes the current states of uploads. If the disk refuses them, they stay in memory and are written again later.
    case save([Upload.ID], Durability)
    /// Writes the current state of an upload in the middle of an attempt. If the disk refuses the state, it stays in
    /// memory, and the attempt receives the failure if `durably` is true.
    case record(Upload.ID, durably: Bool)

    /// The rule that selects which of the given files to add.
    package enum AddRule: Sendable {
        case all
        /// All files except those that another command is adding, and those with an upload in the queue that the
        /// `Match` accepts.
        case missing(DuplicateFilter.Match)
        /// All files, after their watcher found them complete. The transaction fails if another command is adding one
        /// of them.
        case settled
        /// All files: `admit` has already applied one of the other rules.
        case admitted
    }
}

/// A change that is applied to each of the given uploads.
package enum UploadChange: Sendable {
    case pause
    case resume
    /// - `identities`: The current versions of the files that changed.
    /// - `startsEarly`: Whether queued uploads lose their start conditions, so that they start now.
    case retry(identities: [Upload.ID: FileIdentity], startsEarly: Bool)
    /// Replaces the queued version of the file with this one.
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
    /// The removed uploads, in their last state.
    var gone: [Upload] = []
    /// The action that the command `undo` performs for the transaction, possibly a refusal; nil if `undo` skips it.
    package var undo: UndoAction?
}

/// The transactions whose records are being written, and those that wait for other transactions to end.
struct TransactionLog {
    struct Submission {
        var transaction: Transaction
        var reply: ReplyID?
    }

    /// A transaction whose record is being written, with the values that are needed to process the journal's result.
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
        /// The instant at which the upload's wait for a retry was to end; nil if it did not wait.
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
    /// The files and targets that a command is adding now: from the check for duplicates until the journal reports the
    /// result. No second command adds them meanwhile. Additions by `AddRule.all` are left out, because they are allowed
    /// to add a file twice.
    var pendingAdds: Set<UploadKey> = []

    /// True while the record of a limit is being written. Later changes of limits wait, because the earlier limits are
    /// restored if the journal refuses the record.
    var isSetting: Bool {
        inFlight.values.contains { flight in
            if case .settings = flight.0 { true } else { false }
        }
    }

    /// True while the record of a move is being written. Later moves wait, because the earlier ranks are restored if
    /// the journal refuses the record.
    var isMoving: Bool {
        inFlight.values.contains { flight in
            if case .change(_, .setRanks, _) = flight.0 { true } else { false }
        }
    }

    /// Stores a transaction whose record is written now, and returns the ticket of the record.
    mutating func begin(_ flight: InFlight, _ reply: ReplyID?) -> Ticket {
        lastTicket += 1
        inFlight[lastTicket] = (flight, reply)
        return lastTicket
    }

    /// Removes and returns the transaction with this ticket; nil if there is none.
    mutating func end(_ ticket: Ticket) -> (InFlight, ReplyID?)? { inFlight.removeValue(forKey: ticket) }
}
