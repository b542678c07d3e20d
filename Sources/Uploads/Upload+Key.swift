import FerryFiles
import FerryTransfer

extension Upload {
    /// The key by which a server may recognize the upload: different for each upload and each version of its file, the
    /// same in all attempts. It contains no character that a URL would have to escape.
    package var key: String {
        // In a record edited by hand it may be any number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}
