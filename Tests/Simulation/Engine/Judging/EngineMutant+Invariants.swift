extension EngineMutant {
    /// The invariants that a schedule with this mutant may violate first. The seed decides which of them it is.
    package var invariants: [Invariant] {
        switch self {
        case .appendsAreNotSynced, .doneIsNotSynced: [.nothingAcknowledgedIsLost]
        case .foldersAreNotSynced, .recordsAreDropped: [.nothingAcknowledgedIsLost, .queueIsReadable]
        case .markIsDropped: [.postsAreNotRepeated]
        case .addressIsLate: [.addressIsOnDisk]
        case .senderGoesOn, .startsAreDoubled: [.oneSender]
        case .doneIsEarly: [.doneIsThere]
        case .offsetsAreExaggerated: [.confirmedIsThere]
        case .rangesAreShifted: [.nothingIsSpliced, .confirmedIsNotSentAgain]
        case .changesAreOverlooked, .partsAreSwapped: [.nothingIsSpliced, .doneIsThere]
        case .oldResourceIsReused: [.nothingIsSpliced, .doneIsThere, .addressIsOnDisk]
        case .sentIsUndercounted, .sentIsOvercounted: [.sentBytesAreCounted]
        case .retryAfterIsDropped, .hostPauseIsPrivate: [.pausesAreKept]
        case .sleepersAreForgotten: [.nothingStarves]
        case .linkReturnIsMissed, .deadConnectionsAreKept: [.linkIsUsed, .nothingStarves]
        case .resumeForgets: [.confirmedIsNotSentAgain, .postsAreNotRepeated]
        case .refusalsAreTaken: [.doneIsThere]
        }
    }
}
