import FerryFiles
import FerryTransfer

extension Upload {
    /// The key by which a server can recognize the upload. All attempts to send one version of the file use the same
    /// key. Each other upload, and each other version of the file, has a different key. The key needs no escapes in a
    /// URL.
    ///
    /// The number `tries.changes` in the key distinguishes the versions of the file.
    package var key: String {
        // In a record that a user has edited, the date may be infinite or not a number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}
