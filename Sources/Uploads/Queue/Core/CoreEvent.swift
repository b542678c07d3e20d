package import FerryConnectivity
package import FerryFiles
package import FerryProtocols
package import FerryTransfer

/// The number of a reply that a caller waits for.
package typealias ReplyID = Int

/// An event for the queue's core.
package enum CoreEvent: Sendable {
    /// The engine starts to run the queued uploads.
    ///
    /// - `awaitsLink`: Whether nothing may start before the link monitor's first report.
    case started(awaitsLink: Bool)
    case transaction(Transaction, ReplyID?)
    case attempt(Upload.ID, run: Int, AttemptEvent, ReplyID)
    /// An attempt has sent this many bytes of the file. After a kill, the number lets the queue count the bytes that
    /// are sent again.
    case sent(Upload.ID, run: Int, ByteCount)
    case journaled([AppendResult])
    case journalReported(JournalCondition)
    case repaired(JournalCondition)
    case journalClosed(JournalError?)
    /// - `isForbidden`: Whether a network exists that must not be used.
    case link(LinkStatus, isForbidden: Bool)
    /// The machine slept.
    case slept
    case probed(UploadHost, number: Int, Reachability)
    case timer
    /// - `waiting`: The hosts of waiting uploads before the change.
    case configured(UploadQueue.Configuration, waiting: [Upload.ID: UploadHost])
    /// A user wants all uploads tried, whatever the state of the network.
    case tryNow
    /// A user wants some uploads tried, whatever the state of the network.
    case force
    /// A command was carried out, and this action undoes it.
    case commanded(UndoAction)
    /// A change may let uploads start.
    case advance
    /// The queue starts no more uploads.
    case finish
    case stop
    /// The time in which removed uploads can be put back is over.
    case endRemovals
    case noticed(DatedNotice, number: Int)
    case awayFolders([String])
    /// The history contains the entries that a killed engine could not write.
    case historyCompleted
    /// The oldest done uploads have left the queue for the history.
    ///
    /// - `gone`: The uploads of these that were still in the queue.
    case retired(count: Int, gone: [Upload])
}

/// An event of one attempt.
package enum AttemptEvent: Sendable {
    /// The server's report of what it has stored.
    case recorded(UploadResource?, durably: Bool)
    /// - `file`: The current version of the file, if it changed and the upload is to restart with it.
    /// - `sent`: The number of bytes that were sent.
    case ended(Redacted<UploadAttempt.Outcome>, file: FileIdentity?, sent: ByteCount)
}

/// An effect that the queue's shell is to perform.
package enum CoreEffect: Sendable {
    case append([QueueChange], Durability, Ticket)
    case reply(ReplyID, Result<TransactionResult, UploadFailure>)
    case publish([Upload.ID], removed: [Upload.ID])
    case start(Upload, run: Int)
    case cancel(Upload.ID)
    case probe(UploadHost, number: Int)
    /// Deletes what the server has stored of an upload.
    case discard(Upload)
    /// Remembers what servers have stored of these, to be deleted from a date on.
    case abandon([Upload], since: Date)
    case reclaim([Upload])
    case invalidateConnections(ConnectionInvalidation)
    case linkIsAway(Bool)
    case remember([HistoryEntry])
    /// Moves done uploads above the configured number to the history.
    case retire
    case repair
    /// Writes the changes that the disk refused.
    case saveDirty
    case limitRates([LimitScope: ByteCount])
    /// Sends `timer` at this instant; nil for never.
    case wake(at: ContinuousClock.Instant?)
    /// The queue is idle: nothing runs, and nothing will.
    case idle
}

/// The lookups that the core makes while it handles an event.
package struct QueueLookups: Sendable {
    var host: @Sendable (Upload) -> UploadHost
    /// True if an interrupted upload of this kind can resume.
    var resumes: @Sendable (Upload) -> Bool
    /// Returns the progress of the attempt at an upload.
    var progress: @Sendable (Upload.ID) -> RunProgress?
    /// Draws from a range, to spread delays.
    var random: @Sendable (ClosedRange<Double>) -> Double

    package init(
        host: @escaping @Sendable (Upload) -> UploadHost, resumes: @escaping @Sendable (Upload) -> Bool,
        progress: @escaping @Sendable (Upload.ID) -> RunProgress?,
        random: @escaping @Sendable (ClosedRange<Double>) -> Double
    ) {
        self.host = host
        self.resumes = resumes
        self.progress = progress
        self.random = random
    }
}

/// The progress of an attempt, as far as the queue needs it.
package struct RunProgress: Sendable {
    var isReading: Bool
    /// The last time when bytes were sent; nil before the first.
    var moved: ContinuousClock.Instant?
    /// True once a request carries the whole file, and the server keeps nothing if the request breaks.
    var carriesAll: Bool

    package init(isReading: Bool, moved: ContinuousClock.Instant?, carriesAll: Bool) {
        self.isReading = isReading
        self.moved = moved
        self.carriesAll = carriesAll
    }
}
