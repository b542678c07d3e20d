import FerryFiles
import FerryTransfer

extension Upload {
    /// The key by which a server may recognize the upload. It differs between uploads, and is the same in all attempts
    /// at one version of the file. It contains no character that a URL would have to escape.
    ///
    /// The key contains the inode and the number of restarts, so it also differs between versions of the file. The
    /// exception is a watched file that was changed in place before its upload was done.
    package var key: String {
        // In a record that was edited by hand, the date may be infinite or not a number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}
