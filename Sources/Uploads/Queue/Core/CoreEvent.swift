package import FerryConnectivity
package import FerryFiles
package import FerryProtocols
package import FerryTransfer

/// The number of a reply that a caller waits for.
package typealias ReplyID = Int

/// An event that `UploadQueue` passes to `QueueCore`.
package enum CoreEvent: Sendable {
    /// The engine starts to run the queued uploads.
    ///
    /// - `awaitsLink`: Whether uploads over the network wait for the link monitor's first report.
    case started(awaitsLink: Bool)
    case transaction(Transaction, ReplyID?)
    case attempt(Upload.ID, run: Int, AttemptEvent, ReplyID)
    /// An attempt has sent this many bytes. The queue stores the number, and uses it after a crash to count the bytes
    /// that are sent again.
    case sent(Upload.ID, run: Int, ByteCount)
    case journaled([AppendResult])
    case journalReported(JournalCondition)
    case repaired(JournalCondition)
    case journalClosed(JournalError?)
    /// - `isForbidden`: Whether a network exists, but the configuration forbids its use.
    case link(LinkStatus, isForbidden: Bool)
    /// The machine has woken up from sleep.
    case slept
    case probed(UploadHost, number: Int, Reachability)
    case timer
    /// - `waiting`: The uploads that wait for a retry, each with its host under the earlier configuration.
    case configured(UploadQueue.Configuration, waiting: [Upload.ID: UploadHost])
    /// A user wants all waiting uploads to start now, whatever the link monitor reports.
    case tryNow
    /// A user retries some uploads. The next attempts can start, whatever the state of the link and of their hosts.
    case force
    /// A command was carried out. The value is the action by which `undo` undoes it.
    case commanded(UndoAction)
    /// The core starts the uploads that can start now, because something has changed.
    case advance
    /// A user asked the engine to end once no attempt runs. The queue starts no more uploads.
    case finish
    case stop
    /// The queue stops. The bytes of removed uploads are deleted from the servers now, without further delay.
    case endRemovals
    case noticed(DatedNotice, number: Int)
    case awayFolders([String])
    /// The history now contains the entries that an earlier engine could not write before it was killed.
    case historyCompleted
    /// The oldest done uploads have moved from the queue to the history.
    ///
    /// - `gone`: The uploads among them that no user had removed before.
    case retired(count: Int, gone: [Upload])
}

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
    /// Records uploads as abandoned. Their bytes on servers can be deleted from `since` on.
    case abandon([Upload], since: Date)
    /// Removes uploads from the list of abandoned uploads, because they are in the queue again, or done.
    case reclaim([Upload])
    case invalidateConnections(ConnectionInvalidation)
    case linkIsAway(Bool)
    case remember([HistoryEntry])
    /// Moves the oldest done uploads to the history, until only `keptDone` of them are in the queue.
    case retire
    case repair
    /// Writes the uploads whose state is not on disk.
    case saveDirty
    case limitRates([LimitScope: ByteCount])
    /// Sends the event `timer` at this instant; nil cancels the timer.
    case wake(at: ContinuousClock.Instant?)
    /// Resumes the callers that wait until the queue is idle.
    case idle
}

/// The functions with which the core gets values from the runner and the attempts while it handles an event.
package struct QueueLookups: Sendable {
    var host: @Sendable (Upload) -> UploadHost
    /// Returns whether the protocol of an upload can resume it after a broken connection.
    var resumes: @Sendable (Upload) -> Bool
    /// Returns the progress of the running attempt at an upload; nil if no attempt runs.
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
    /// True while the attempt reads the file for a digest, before it sends the file.
    var isReading: Bool
    /// The last time when a request with bytes of the file began or bytes were sent; nil before the first such request.
    var moved: ContinuousClock.Instant?
    /// True if the last request with bytes of the file carries the whole file, and the server probably keeps nothing of
    /// it when the connection breaks.
    var carriesAll: Bool

    package init(isReading: Bool, moved: ContinuousClock.Instant?, carriesAll: Bool) {
        self.isReading = isReading
        self.moved = moved
        self.carriesAll = carriesAll
    }
}
