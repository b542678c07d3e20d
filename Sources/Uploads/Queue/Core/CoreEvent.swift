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
    /// - `awaitsLink`: Whether uploads over the network wait for the link monitor's first report.
    case started(awaitsLink: Bool)
    case transaction(Transaction, ReplyID?)
    case attempt(Upload.ID, run: Int, AttemptEvent, ReplyID)
    /// An attempt has sent this many bytes of its file. After a crash, the stored number shows how many are sent again.
    case sent(Upload.ID, run: Int, ByteCount)
    case journaled([AppendResult])
    case journalReported(JournalCondition)
    case repaired(JournalCondition)
    case journalClosed(JournalError?)
    /// - `isForbidden`: Whether a network exists, but the configuration forbids its use.
    case link(LinkStatus, isForbidden: Bool)
    /// The machine has returned from sleep.
    case slept
    case probed(UploadHost, number: Int, Reachability)
    case timer
    /// - `waiting`: The hosts, under the earlier configuration, of the uploads that wait for a retry.
    case configured(UploadQueue.Configuration, waiting: [Upload.ID: UploadHost])
    /// A user wants all waiting uploads to start now, whatever the link monitor reports.
    case tryNow
    /// A user retries some uploads. The next attempts may start, whatever the state of the link and of their hosts.
    case force
    /// A command was carried out, and this action undoes it.
    case commanded(UndoAction)
    /// A change may let uploads start.
    case advance
    /// The engine was asked to end, so the queue starts no more uploads.
    case finish
    case stop
    /// The queue stops, so the servers' bytes of removed uploads are deleted now.
    case endRemovals
    case noticed(DatedNotice, number: Int)
    case awayFolders([String])
    /// The history contains the entries that a killed engine could not write.
    case historyCompleted
    /// The oldest done uploads have moved from the queue to the history.
    ///
    /// - `gone`: The uploads among them that no user had removed before.
    case retired(count: Int, gone: [Upload])
}

/// An event of one attempt.
package enum AttemptEvent: Sendable {
    /// The attempt reports its upload resource. If `durably`, the reply comes once the report survives a power cut.
    case recorded(UploadResource?, durably: Bool)
    /// - `file`: The current version of the file, if it changed and the upload is to restart with it.
    /// - `sent`: The number of bytes of the file that were sent or confirmed.
    case ended(Redacted<UploadAttempt.Outcome>, file: FileIdentity?, sent: ByteCount)
}

/// An effect that `UploadQueue` performs for the core.
package enum CoreEffect: Sendable {
    case append([QueueChange], Durability, Ticket)
    case reply(ReplyID, Result<TransactionResult, UploadFailure>)
    case publish([Upload.ID], removed: [Upload.ID])
    case start(Upload, run: Int)
    case cancel(Upload.ID)
    case probe(UploadHost, number: Int)
    /// Deletes the stored bytes of an upload from its server.
    case discard(Upload)
    /// Remembers uploads as abandoned, so that their bytes on servers can be deleted from `since` on.
    case abandon([Upload], since: Date)
    /// Removes uploads from the abandoned ones: they are in the queue again, or done.
    case reclaim([Upload])
    case invalidateConnections(ConnectionInvalidation)
    case linkIsAway(Bool)
    case remember([HistoryEntry])
    /// Moves done uploads above the configured number to the history.
    case retire
    case repair
    /// Writes the changes that the disk refused before.
    case saveDirty
    case limitRates([LimitScope: ByteCount])
    /// Sends `timer` at this instant; nil for never.
    case wake(at: ContinuousClock.Instant?)
    /// Resumes the callers that wait until the queue is idle.
    case idle
}

/// The functions that the core calls for values from outside while it handles an event.
package struct QueueLookups: Sendable {
    var host: @Sendable (Upload) -> UploadHost
    /// Returns whether the protocol of an upload can resume it after a break.
    var resumes: @Sendable (Upload) -> Bool
    /// Returns the progress of the attempt at an upload.
    var progress: @Sendable (Upload.ID) -> RunProgress?
    /// Returns a random number from a range. Random delays keep many uploads from retrying at the same moment.
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
    /// The last time when a request with bytes of the file began or bytes were sent; nil before the first request.
    var moved: ContinuousClock.Instant?
    /// True once a request carries the whole file to a server that keeps nothing of a broken request.
    var carriesAll: Bool

    package init(isReading: Bool, moved: ContinuousClock.Instant?, carriesAll: Bool) {
        self.isReading = isReading
        self.moved = moved
        self.carriesAll = carriesAll
    }
}
