import FerryUploads

/// A summary of the uploads that an action applies to: whether any of them has each property.
struct TargetTraits {
    private(set) var count = 0
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
