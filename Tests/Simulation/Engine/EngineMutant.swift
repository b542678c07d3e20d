/// A fault that is put around the values of the engine. The simulation must detect each of them.
package enum EngineMutant: String, CaseIterable, Sendable {
    // Mutants of the journal.

    /// Changes are acknowledged as durable without a sync.
    case appendsAreNotSynced
    /// Changes to done are acknowledged as durable without a sync.
    case doneIsNotSynced
    /// The folder is never synced, so file names can be lost.
    case foldersAreNotSynced
    /// The last change of each append with several changes is not written.
    case recordsAreDropped

    // Mutants of the attempt.

    /// A POST sends its last bytes before its mark is recorded.
    case markIsDropped
    /// The address of an upload is not on disk when bytes are sent to it.
    case addressIsLate
    /// A cancelled attempt reports its end but continues to send.
    case senderGoesOn
    /// An upload is reported as done after its first PATCH.
    case doneIsEarly
    /// The recorded offset is greater than the one that the server confirmed.
    case offsetsAreExaggerated
    /// The attempt never checks whether its file has changed.
    case changesAreOverlooked
    /// The attempt reports to the queue that it sent 0 bytes.
    case sentIsUndercounted
    /// The attempt reports bytes as sent that the kernel accepted and never sent.
    case sentIsOvercounted
    /// An attempt resumes the upload resource of another version of its file.
    case oldResourceIsReused

    // Mutants of the queue's core and its rules for hosts.

    /// The protocol does not see `Retry-After`.
    case retryAfterIsDropped
    /// A host's `Retry-After` delays only the upload that received it, not the other uploads to the host.
    case hostPauseIsPrivate
    /// Some timers never fire.
    case sleepersAreForgotten
    /// Each start is performed twice.
    case startsAreDoubled
    /// The return of the link is not reported.
    case linkReturnIsMissed
    /// Connections from an address that the machine has lost are not closed.
    case deadConnectionsAreKept

    // Mutants of the protocols' resumption.

    /// Each request that resumes sends the byte range one byte before the one that it names.
    case rangesAreShifted
    /// The first part of an upload is sent with the bytes of the second.
    case partsAreSwapped
    /// Each attempt begins a new upload at the server instead of resuming.
    case resumeForgets
    /// A response of 500 or above to the last bytes is treated as success.
    case refusalsAreTaken
}
