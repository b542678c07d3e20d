/// A fault that is put into the surroundings of the queue. The simulation must detect each of them.
package enum Mutant: String, CaseIterable, Sendable {
    /// Changes are acknowledged as durable without a sync.
    case appendsAreNotSynced
    /// Changes to done are acknowledged as durable without a sync.
    case doneIsNotSynced
    /// The folder is never synced, so file names can be lost.
    case foldersAreNotSynced
    /// The last change of each append with several changes is not written.
    case recordsAreDropped
    /// A POST sends its last bytes before its mark is recorded.
    case markIsDropped
    /// The address of an upload is not on disk when bytes are sent to it.
    case addressIsLate
    /// A cancelled attempt reports its end but continues to send.
    case senderGoesOn
    /// The protocol does not see `Retry-After`.
    case retryAfterIsDropped
    /// Some sleeping tasks are never woken.
    case sleepersAreForgotten
    /// An upload is reported as done after its first PATCH.
    case doneIsEarly
    /// The recorded offset is greater than the one that the server confirmed.
    case offsetsAreExaggerated
    /// The attempt never checks whether its file has changed.
    case changesAreOverlooked
}
