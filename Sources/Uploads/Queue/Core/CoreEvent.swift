package import FerryConnectivity
package import FerryFiles
package import FerryProtocols
package import FerryTransfer

/// The number of an answer that somebody waits for.
package typealias ReplyID = Int

/// An event for the queue's core.
package enum CoreEvent: Sendable {
    /// The engine starts to run what is queued.
    ///
    /// - `awaitsLink`: Whether nothing may start before the link monitor's first report.
    case started(awaitsLink: Bool)
    case transaction(Transaction, ReplyID?)
    case attempt(Upload.ID, run: Int, AttemptEvent, ReplyID)
    /// An attempt has sent so much of the file. The number lets the queue count what is sent again after a kill.
    case sent(Upload.ID, run: Int, ByteCount)
    case journaled([AppendResult])
    case journalReported(JournalCondition)
    case repaired(JournalCondition)
    case journalClosed(JournalError?)
    /// - `isForbidden`: Whether there is a network, and it must not be used.
    case link(LinkStatus, isForbidden: Bool)
    /// The machine slept.
    case slept
    case probed(UploadHost, number: Int, Reachability)
    case timer
    /// - `waiting`: The hosts of what waits, as they were before.
    case configured(UploadQueue.Configuration, waiting: [Upload.ID: UploadHost])
    /// A user wants everything tried, whatever is known of the network.
    case tryNow
    /// A user wants some uploads tried, whatever is known of the network.
    case force
    /// A command was carried out, and can be taken back so.
    case commanded(UndoAction)
    /// A change may let uploads start.
    case advance
    /// The queue starts nothing new any more.
    case finish
    case stop
    /// The time is over in which removed uploads can be put back.
    case endRemovals
    case noticed(DatedNotice, number: Int)
    case awayFolders([String])
    /// The history has what a killed engine could not write.
    case historyCompleted
    /// The oldest uploads that are done have left for the history.
    ///
    /// - `gone`: Those of them that were still in the queue.
    case retired(count: Int, gone: [Upload])
}

/// An event of one attempt.
package enum AttemptEvent: Sendable {
    /// The server's word on what it has.
    case recorded(UploadResource?, durably: Bool)
    /// - `file`: The file as it is now, if it changed and the upload is to begin anew with it.
    /// - `sent`: The number of bytes that had been sent.
    case ended(UploadAttempt.Outcome, file: FileIdentity?, sent: ByteCount)
}

/// An effect that the queue's shell is to perform.
package enum CoreEffect: Sendable {
    case append([QueueChange], Durability, Ticket)
    case reply(ReplyID, Result<TransactionResult, UploadFailure>)
    case publish([Upload.ID], removed: [Upload.ID])
    case start(Upload, run: Int)
    case cancel(Upload.ID)
    case probe(UploadHost, number: Int)
    /// Deletes what the server has of an upload.
    case discard(Upload)
    /// Servers keep what they have of these, to be deleted from a date on.
    case abandon([Upload], since: Date)
    case reclaim([Upload])
    case invalidateConnections(ConnectionInvalidation)
    case linkIsAway(Bool)
    case remember([HistoryEntry])
    /// Moves what is done and too much to the history.
    case retire
    case repair
    /// Writes down what the disk refused.
    case saveDirty
    case limitRates([LimitScope: ByteCount])
    /// Sends `timer` then; nil for never.
    case wake(at: ContinuousClock.Instant?)
    /// The queue is idle: nothing runs, and nothing will.
    case idle
}

/// The questions that the core asks its shell while it handles an event.
package struct QueueLookups: Sendable {
    var host: @Sendable (Upload) -> UploadHost
    /// True if an interrupted upload of this kind goes on where it was.
    var resumes: @Sendable (Upload) -> Bool
    /// Returns the progress of the attempt at an upload.
    var progress: @Sendable (Upload.ID) -> RunProgress?
    /// Draws from a range, to spread waits.
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

/// The progress of an attempt, as the queue needs to know it.
package struct RunProgress: Sendable {
    var isReading: Bool
    /// The time when bytes went out last; nil before the first.
    var moved: ContinuousClock.Instant?
    /// True once a request carries all of the file, and the server keeps nothing of it should it break.
    var carriesAll: Bool

    package init(isReading: Bool, moved: ContinuousClock.Instant?, carriesAll: Bool) {
        self.isReading = isReading
        self.moved = moved
        self.carriesAll = carriesAll
    }
}
