import FerryFiles
import FerryTransfer

extension Upload {
    /// The key by which a server can recognize the upload. It differs between uploads and between versions of the file,
    /// but all attempts to send one version use the same key. It contains no character that a URL would have to escape.
    ///
    /// To distinguish the versions, the key contains `tries.changes`.
    package var key: String {
        // In a record that a user has edited, the date may be infinite or not a number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}
