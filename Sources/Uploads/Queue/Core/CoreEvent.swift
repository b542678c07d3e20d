package import FerryConnectivity
package import FerryProtocols
package import FerryTransfer

/// The number that identifies a caller who waits for a reply from the core.
package typealias ReplyID = Int

/// An event that the actor `UploadQueue` passes to `QueueCore`, which makes the decisions.
package enum CoreEvent: Sendable {
    /// The engine starts to run the queued uploads. If `awaitsLink`, those that need a network wait for the link
    /// monitor's first report.
    case started(awaitsLink: Bool)
    case transaction(Transaction, ReplyID?)
    case attempt(Upload.ID, run: Int, AttemptEvent, ReplyID)
    /// An attempt has sent this many bytes of its file. After a crash, they are counted as sent a second time.
    case sent(Upload.ID, run: Int, ByteCount)
    case journaled([(Ticket, Result<Void, JournalError>)])
    case journalReported(JournalCondition)
    case repaired(JournalCondition)
    case journalClosed(JournalError?)
    /// The link monitor reports whether there is a network, or whether the configuration forbids its use.
    case link(LinkStatus, isForbidden: Bool)
    case slept
    case probed(UploadHost, number: Int, Reachability)
    /// A packet takes this time to the host and back.
    case roundTrip(UploadHost, Duration)
    case timer
    /// The configuration has changed. `waiting` are the uploads that wait for a retry, with their former hosts.
    case configured(UploadQueue.Configuration, waiting: [Upload.ID: UploadHost])
    /// A user wants all waiting uploads to start now, even if the link monitor reports no network.
    case tryNow
    /// A user retries uploads, which can start even without a network, or if their hosts asked for a pause.
    case force
    /// A command was carried out. The action undoes it.
    case commanded(UndoAction)
    case advance
    /// A user asked the engine to end when the running attempts have ended.
    case finish
    case stop
    /// The queue stops, so the bytes of removed uploads are deleted without the wait for an undo.
    case endRemovals
    case noticed(DatedNotice, number: Int)
    case awayFolders([String])
    /// The history now contains the done uploads that a killed engine could not add.
    case historyCompleted
    /// The oldest `count` done uploads have moved to the history, with those that users had removed.
    case retired(count: Int)
}

package enum AttemptEvent: Sendable {
    /// The attempt reports the server's state from which the upload can resume. If `durably`, the core replies only
    /// when the report survives a power cut.
    case recorded(Redacted<UploadResource>?, durably: Bool)
    /// The attempt has ended. `file` is the changed version of the file with which the upload is to restart; `sent` is
    /// the number of bytes that were sent or confirmed.
    case ended(Redacted<UploadAttempt.Outcome>, file: FileIdentity?, sent: ByteCount)
}

/// An action that the actor `UploadQueue` performs for `QueueCore`, such as a write to the journal.
package enum CoreEffect: Sendable {
    case append([QueueChange], Durability, Ticket)
    case reply(ReplyID, Result<TransactionResult, UploadFailure>)
    case publish([Upload.ID], removed: [Upload.ID])
    case start(Upload, run: Int)
    case cancel(Upload.ID)
    case probe(UploadHost, number: Int)
    case measureRoundTrip(UploadHost)
    case discard(Upload)
    /// Records that the bytes of these uploads can be deleted from the servers from this date on.
    case abandon([Upload], since: Date)
    /// Takes back `abandon`, because the uploads are in the queue again or are done.
    case reclaim([Upload])
    case invalidateConnections(ConnectionInvalidation)
    case linkIsAway(Bool)
    case remember([HistoryEntry])
    case retire
    case repair
    case saveDirty
    case limitRates([LimitScope: ByteCount])
    case wake(at: ContinuousClock.Instant?)
    /// Resumes the callers that wait until no attempt runs and none will start by itself.
    case idle
}

/// The functions with which the core gets values from the runner and the attempts, and the form of its records.
package struct QueueLookups: Sendable {
    var host: @Sendable (Upload) -> UploadHost
    var resumes: @Sendable (Upload) -> Bool
    var progress: @Sendable (Upload.ID) -> RunProgress?
    /// Returns a random number from a range. Random delays keep many uploads from retrying at the same moment.
    var random: @Sendable (ClosedRange<Double>) -> Double
    /// The lowest number of uploads whose change is written by ranges of their numbers, without the uploads.
    var fewestInRanges: Int

    package init(
        host: @escaping @Sendable (Upload) -> UploadHost, resumes: @escaping @Sendable (Upload) -> Bool,
        progress: @escaping @Sendable (Upload.ID) -> RunProgress?,
        random: @escaping @Sendable (ClosedRange<Double>) -> Double, fewestInRanges: Int
    ) {
        self.fewestInRanges = fewestInRanges
        self.host = host
        self.resumes = resumes
        self.progress = progress
        self.random = random
    }
}

/// The progress of a running attempt at an upload.
package struct RunProgress: Sendable {
    /// True while the attempt reads the file to compute a checksum of it, before it sends the file.
    var isReading: Bool
    /// The last time when the attempt sent bytes of the file, began a request with some, or ended reading it.
    var moved: ContinuousClock.Instant?
    /// True if the last request carries the whole file, and the server probably keeps nothing of a broken one.
    var carriesAll: Bool

    package init(isReading: Bool, moved: ContinuousClock.Instant?, carriesAll: Bool) {
        self.isReading = isReading
        self.moved = moved
        self.carriesAll = carriesAll
    }
}
