import FerryUploads

/// A summary of an action's targets. A boolean is true if at least one target has the property.
struct TargetTraits {
    private(set) var count = 0
    /// The number of targets that are marked.
    var marked = 0
    private(set) var canBePaused = false
    private(set) var isPausedByUser = false
    private(set) var canBeRetried = false

    mutating func add(_ upload: Upload) {
        count += 1
        canBePaused = canBePaused || upload.canBePaused
        isPausedByUser = isPausedByUser || upload.isPausedByUser
        canBeRetried = canBeRetried || upload.canBeRetried
    }
}
