import FerryUploads

/// What is true of any of the uploads that a key would act on.
struct TargetTraits {
    private(set) var count = 0
    /// How many of them are targets because they are marked.
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
