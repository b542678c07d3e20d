/// A fault put into what surrounds the queue, to see that the simulator finds it.
package enum Mutant: String, CaseIterable, Sendable {
    /// Changes are acknowledged as durable and were never synced.
    case appendsAreNotSynced
    /// The same for final responses alone.
    case doneIsNotSynced
    /// Names of files are never synced.
    case foldersAreNotSynced
    /// A record is left out of what is written.
    case recordsAreDropped
    /// A POST sends its last bytes without its mark on disk.
    case markIsDropped
    /// The address of an upload is written down only after bytes went to it.
    case addressIsLate
    /// A run that is asked to stop says so and continues to send.
    case senderGoesOn
    /// A server's wish to wait is not passed on.
    case retryAfterIsDropped
    /// Some sleepers are never woken.
    case sleepersAreForgotten
    /// An upload that the server has half of is reported as done.
    case doneIsEarly
    /// The offset that is passed on is more than the server said.
    case offsetsAreExaggerated
    /// The file is not checked between two requests.
    case changesAreOverlooked
}
