/// A property that must hold in every schedule.
package enum Invariant: String, CaseIterable, Sendable {
    /// A change that the journal acknowledged is there after a kill or a power cut.
    case nothingAcknowledgedIsLost = "acknowledged"
    /// The content at a server is one version of the file, whole and in order.
    case nothingIsSpliced = "spliced"
    /// Bytes that a server confirmed are not sent again unless it lost them.
    case confirmedIsNotSentAgain = "sent again"
    /// The counters of an upload count all that was sent, and nothing else.
    case sentBytesAreCounted = "counted"
    /// A request that cannot be asked for is not repeated without a user's word.
    case postsAreNotRepeated = "posted twice"
    /// Everything ends once nothing goes wrong any more.
    case nothingStarves = "starved"
    /// A link that returns is used within a second.
    case linkIsUsed = "link unused"
    /// A host that asked for a pause is left alone.
    case pausesAreKept = "pause broken"
    /// An upload has one sender at a time, and no more run than may.
    case oneSender = "senders"
    /// The bytes that are recorded as confirmed are at the server.
    case confirmedIsThere = "confirmed"
    /// The file of an upload that is done is at the server.
    case doneIsThere = "done"
    /// No byte goes to an address that is not on disk.
    case addressIsOnDisk = "address"
    /// The queue can be read after every end.
    case queueIsReadable = "readable"
    /// An upload that ended stays so until a user says otherwise.
    case endsAreFinal = "final"
}

package struct Violation: Sendable {
    package var invariant: Invariant
    package var text: String
}
