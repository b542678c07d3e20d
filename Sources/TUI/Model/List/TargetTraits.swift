import FerryUploads

/// The properties that at least one of an action's targets has.
struct TargetTraits {
    private(set) var count = 0
    /// The number of targets that are marked.
    var marked = 0
    private(set) var canBePaused = false
    private(set) var isPausedByUser = false
    var canBeRetried = false

    mutating func add(_ state: Upload.State) {
        count += 1
        canBePaused = canBePaused || state.canBePaused
        isPausedByUser = isPausedByUser || state.isPausedByUser
        canBeRetried = canBeRetried || state.canBeRetried
    }
}
