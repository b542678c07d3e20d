import FerryFiles
import FerryTransfer

extension Upload {
    /// The key, without escapes in a URL, by which a server can recognize the upload. All attempts to send one version
    /// of the file have the same key, and no other upload has it. `tries.changes` distinguishes the versions.
    package var key: String {
        // In a record that a user has edited, the date may be infinite or not a number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}
