import FerryProtocols
import FerryTransfer

/// A change of the queue that is one record of the journal: it happens on disk and in memory, or in neither.
package enum Transaction: Sendable {
    /// - `pausing`, `resuming`: The batches that are paused, and resumed, from now on.
    case change([Upload.ID], UploadChange, pausing: Set<String> = [], resuming: Set<String> = [])
    case move([Upload.ID], QueueMove)
    case place([Upload.ID: Int64])
    case add([NewUpload], AddRule)
    case remove([Upload.ID])
    /// Removes uploads from the queue that the history contains.
    case retire([Upload.ID])
    /// - `orphaned`: The uploads that the removal held, in their state before. They wait again, unless a user decided
    ///   otherwise.
    case putBack([Upload.ID], orphaned: [Upload.ID: Upload.State])
    /// Sets a limit; nil restores the configured one.
    case limitBandwidth(Bandwidth?, LimitScope)
    /// Sets the number; nil restores the configured one.
    case limitConcurrency(Int?)
    /// Writes uploads as they are. Unlike the other transactions, it remains in effect in memory if the disk refuses
    /// it.
    case save([Upload.ID], Durability)
    /// Saves an upload, as `save` does, after a server's response in the middle of an attempt.
    case record(Upload.ID, durably: Bool)

    /// The rule for which of the given files are added.
    package enum AddRule: Sendable {
        case all
        /// The files that the queue does not contain.
        case missing(DuplicateFilter.Match)
        /// All files, unless another command is adding one of them.
        case settled
        /// The files that `admit` let through.
        case admitted
    }
}

/// A change of single uploads.
package enum UploadChange: Sendable {
    case pause
    case resume
    /// - `identities`: The current versions of the files that changed.
    /// - `startsEarly`: Whether uploads that wait for their start begin now.
    case retry(identities: [Upload.ID: FileIdentity], startsEarly: Bool)
    /// Continues with another version of the file.
    case renew(FileIdentity)
    case place([Upload.ID: Int64])

    /// - Returns: True if the upload changed.
    func apply(to upload: inout Upload) -> Bool {
        switch self {
        case .pause: return upload.pause()
        case .resume: return upload.resume()
        case .retry(let identities, let startsEarly):
            let before = upload.identity
            guard upload.retry(identity: identities[upload.id], startsEarly: startsEarly) else {
                return false
            }
            // No byte of another version of the file has been sent yet.
            if upload.identity != before { upload.tries.sent = 0 }
            return true
        case .renew(let identity): return upload.renew(identity)
        case .place(let ranks):
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
    /// True if some of the added uploads are paused with their batch.
    var isPaused = false
    /// The removed uploads, in their last state.
    var gone: [Upload] = []
    /// The action that undoes the transaction.
    package var undo: UndoAction?
}

/// The transactions that wait for the disk, and those that wait for others to end.
struct TransactionLog {
    struct Submission {
        var transaction: Transaction
        var reply: ReplyID?
    }

    /// A transaction whose record is being written, with the values to end it.
    enum InFlight {
        case change([ChangedUpload], UploadChange, SettingsChange)
        case add([Upload], awaited: [Upload.ID])
        case takeOut([Upload.ID], held: [Upload], isRemoval: Bool)
        case putBack([Upload], waiting: [Upload], orphaned: [Upload.ID])
        case settings(before: QueueSettings, undo: UndoAction)
        case save([Upload], begun: Int)
        case record(Upload.ID, durably: Bool)
    }

    struct ChangedUpload {
        var before: Upload
        var after: Upload
        /// The time when its wait was to end.
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
    /// The files that are being added, and are not in memory yet.
    var pendingAdds: Set<UploadKey> = []

    /// True while a move is in flight. If the disk refuses it, the move is undone, and no later move may build on it.
    var isMoving: Bool {
        inFlight.values.contains { flight in
            if case .change(_, .place, _) = flight.0 { true } else { false }
        }
    }

    /// Notes a transaction whose record is written now.
    mutating func begin(_ flight: InFlight, _ reply: ReplyID?) -> Ticket {
        lastTicket += 1
        inFlight[lastTicket] = (flight, reply)
        return lastTicket
    }

    /// Removes and returns the transaction of a result from the disk.
    mutating func end(_ ticket: Ticket) -> (InFlight, ReplyID?)? { inFlight.removeValue(forKey: ticket) }
}
