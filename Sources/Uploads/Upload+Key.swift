import FerryFiles
import FerryTransfer

extension Upload {
    /// The key by which a server can recognize the upload. It differs between uploads, and is the same in all attempts
    /// at one version of the file. It contains no character that a URL would have to escape.
    ///
    /// The key also differs between versions of the file, because it contains the number of changes of the version.
    package var key: String {
        // In a record that a user has edited, the date may be infinite or not a number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}
