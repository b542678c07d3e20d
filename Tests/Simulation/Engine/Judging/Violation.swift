/// A property that must hold in every schedule.
package enum Invariant: String, CaseIterable, Sendable {
    /// A change that the journal acknowledged still exists after a kill or a power cut.
    case nothingAcknowledgedIsLost = "acknowledged"
    /// The content at a server is one whole version of the file, in order.
    case nothingIsSpliced = "spliced"
    /// Bytes that a server confirmed are not sent again unless it lost them.
    case confirmedIsNotSentAgain = "sent again"
    /// The counters of an upload include every byte that was sent, and no others.
    case sentBytesAreCounted = "counted"
    /// A request whose outcome the server cannot be asked about is not repeated unless a user retries it.
    case postsAreNotRepeated = "posted twice"
    /// Every upload ends once the faults have ended.
    case nothingStarves = "starved"
    /// The queue uses a returned link within a second.
    case linkIsUsed = "link unused"
    /// No request is sent to a host during a pause that the host asked for.
    case pausesAreKept = "pause broken"
    /// An upload has at most one running attempt, and the limit of running uploads is respected.
    case oneSender = "senders"
    /// The server has all bytes that the journal records as confirmed.
    case confirmedIsThere = "confirmed"
    /// The server has the file of every upload that is done.
    case doneIsThere = "done"
    /// Bytes are sent only to addresses that are recorded on disk.
    case addressIsOnDisk = "address"
    /// The queue can be read after every crash.
    case queueIsReadable = "readable"
    /// An upload that has ended stays so until a user retries it.
    case endsAreFinal = "final"
}

package struct Violation: Sendable {
    package var invariant: Invariant
    package var text: String
}
