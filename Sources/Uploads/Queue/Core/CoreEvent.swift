package import FerryConnectivity
package import FerryFiles
package import FerryProtocols
package import FerryTransfer

/// The number that identifies a caller who waits for a reply from the core.
package typealias ReplyID = Int

/// An event that the actor `UploadQueue` passes to `QueueCore`, which makes the decisions.
package enum CoreEvent: Sendable {
    /// The engine starts to run the queued uploads.
    ///
    /// - `awaitsLink`: Whether uploads wait for the link monitor's first report on the network. Uploads that need no
    ///   network never wait for this report.
    case started(awaitsLink: Bool)
    case transaction(Transaction, ReplyID?)
    case attempt(Upload.ID, run: Int, AttemptEvent, ReplyID)
    /// An attempt has sent this many bytes of its file. The queue stores the number. After a crash, the queue uses the
    /// number to count the bytes that must be sent a second time.
    case sent(Upload.ID, run: Int, ByteCount)
    case journaled([(Ticket, Result<Void, JournalError>)])
    case journalReported(JournalCondition)
    case repaired(JournalCondition)
    case journalClosed(JournalError?)
    /// The link monitor reports whether a network is available.
    ///
    /// - `isForbidden`: Whether a network exists, but the configuration forbids its use.
    case link(LinkStatus, isForbidden: Bool)
    /// The machine was asleep, and has woken up.
    case slept
    case probed(UploadHost, number: Int, Reachability)
    case timer
    /// The configuration of the queue has changed.
    ///
    /// - `waiting`: The uploads that wait for a retry, each with its host under the old configuration.
    case configured(UploadQueue.Configuration, waiting: [Upload.ID: UploadHost])
    /// A user wants all uploads that wait for a retry or for the network to start now. This is possible even if the
    /// link monitor reports no network.
    case tryNow
    /// A user retries some uploads. The uploads can then start even if no network is reported. They can also start if
    /// their hosts are unreachable or asked for a pause.
    case force
    /// A command was carried out. The value is the action with which a user can undo the command.
    case commanded(UndoAction)
    /// The core must start the uploads that can start now, because something has changed.
    case advance
    /// A user asked the engine to end when the running attempts have ended. The queue starts no more uploads.
    case finish
    case stop
    /// The queue stops. The bytes of removed uploads are deleted from the servers at once, without the usual wait for
    /// an undo.
    case endRemovals
    case noticed(DatedNotice, number: Int)
    case awayFolders([String])
    /// The history now contains the done uploads that an earlier engine could not add to it before that engine was
    /// killed.
    case historyCompleted
    /// The oldest `count` done uploads have moved from the queue to the history.
    ///
    /// - `gone`: Those of the `count` uploads that were still in the queue. Users had removed the others.
    case retired(count: Int, gone: [Upload])
}

package enum AttemptEvent: Sendable {
    /// The attempt reports its upload resource, the server's state from which the upload can resume; nil if it has
    /// none. If `durably` is true, the core replies only when the report survives a power cut.
    case recorded(Redacted<UploadResource>?, durably: Bool)
    /// The attempt has ended.
    ///
    /// - `file`: The new version of the file if the file has changed and the upload is to restart; otherwise nil.
    /// - `sent`: The number of bytes of the file that were sent or confirmed.
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
    /// Deletes the stored bytes of an upload from its server.
    case discard(Upload)
    /// Records that the queue no longer needs these uploads. From the date `since` on, their bytes can be deleted from
    /// the servers.
    case abandon([Upload], since: Date)
    /// Removes these uploads from the list of abandoned uploads (`abandon`), because they are in the queue again or are
    /// done. Servers must keep their bytes.
    case reclaim([Upload])
    case invalidateConnections(ConnectionInvalidation)
    case linkIsAway(Bool)
    case remember([HistoryEntry])
    /// Moves the oldest done uploads to the history, until the queue contains only as many done uploads as the setting
    /// `keptDone` allows.
    case retire
    case repair
    /// Writes the uploads whose newest state is not in the journal yet.
    case saveDirty
    case limitRates([LimitScope: ByteCount])
    /// Sends the event `timer` at this instant; nil cancels the timer.
    case wake(at: ContinuousClock.Instant?)
    /// Resumes the callers that wait until no attempt runs and none will start by itself.
    case idle
}

/// The functions with which the core gets values from the runner and the attempts while it handles an event.
package struct QueueLookups: Sendable {
    var host: @Sendable (Upload) -> UploadHost
    /// Returns whether the protocol of an upload can resume it after a broken connection.
    var resumes: @Sendable (Upload) -> Bool
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

/// The progress of a running attempt at an upload.
package struct RunProgress: Sendable {
    /// True while the attempt reads the file to compute a checksum of it, before it sends the file.
    var isReading: Bool
    /// The last time when the attempt sent bytes of the file, began a request with such bytes, or ended reading the
    /// file. Nil if it has done none of these.
    var moved: ContinuousClock.Instant?
    /// True if the last request with bytes of the file contains the whole file, of which the server probably keeps
    /// nothing after a broken connection.
    var carriesAll: Bool

    package init(isReading: Bool, moved: ContinuousClock.Instant?, carriesAll: Bool) {
        self.isReading = isReading
        self.moved = moved
        self.carriesAll = carriesAll
    }
}
