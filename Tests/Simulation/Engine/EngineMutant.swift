/// A fault put around the engine's values, to see that the simulation notices it.
package enum EngineMutant: String, CaseIterable, Sendable {
    // The journal.

    /// Changes are acknowledged as durable and were never synced.
    case appendsAreNotSynced
    /// Final states alone are not synced.
    case doneIsNotSynced
    /// The names of files are never synced.
    case foldersAreNotSynced
    /// The last change of a record is left out.
    case recordsAreDropped

    // The attempt.

    /// A POST sends its last bytes without its mark on disk.
    case markIsDropped
    /// The address of an upload is on disk only after bytes went to it.
    case addressIsLate
    /// A cancelled attempt reports its end and continues to send.
    case senderGoesOn
    /// An upload of which the server has the first piece is reported as done.
    case doneIsEarly
    /// The recorded offset is greater than the server said.
    case offsetsAreExaggerated
    /// The file is not checked between and within requests.
    case changesAreOverlooked
    /// The queue is notified that nothing was sent.
    case sentIsUndercounted
    /// The queue is notified of bytes that the kernel accepted and never sent.
    case sentIsOvercounted
    /// An attempt begins with what another version of the file had left.
    case oldResourceIsReused

    // The queue's core and its host rules.

    /// `Retry-After` does not reach the protocol.
    case retryAfterIsDropped
    /// A host's `Retry-After` holds for the upload alone that received it.
    case hostPauseIsPrivate
    /// Some timers never fire.
    case sleepersAreForgotten
    /// Each start is carried out twice.
    case startsAreDoubled
    /// The return of the link is not reported.
    case linkReturnIsMissed
    /// Connections whose address is gone are kept.
    case deadConnectionsAreKept

    // The protocols' resumption.

    /// Each request carries the bytes one behind those that it names.
    case rangesAreShifted
    /// The first two parts of an upload are exchanged.
    case partsAreSwapped
    /// Each attempt begins a new upload at the server.
    case resumeForgets
    /// A refusal of the last bytes is taken for a success.
    case refusalsAreTaken
}
