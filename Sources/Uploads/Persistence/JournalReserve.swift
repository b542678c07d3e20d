/// A file that reserves disk space. On a full disk, the journal refuses a user's command, which the user can repeat. It
/// deletes the file to store a server's response, which cannot be requested again, or a snapshot, which makes the
/// queue's files smaller.
struct JournalReserve {
    static let name = "reserve"

    private(set) var state = State.absent

    private let files: any StateFiles
    private let size: Int

    enum State: Equatable {
        /// No space is reserved, by configuration or after an error. The journal accepts commands all the same.
        case absent
        case kept
        /// The reserved space was released for a server's response or a snapshot, and could not be reserved again yet.
        case spent
    }

    init(_ size: Int, in files: any StateFiles) {
        self.size = size
        self.files = files
    }

    /// Uses the reserve file of an earlier process, or tries to create one.
    mutating func prepare() {
        guard size > 0 else { return }
        if (try? files.open(Self.name, for: .reading)?.length()) == size {
            state = .kept
        } else {
            try? fill()
        }
    }

    /// Creates the file that reserves the space, in place of an old one, unless the space is reserved already.
    mutating func fill() throws(JournalError) {
        guard size > 0, state != .kept else { return }
        try files.perform { () throws(SystemCallError) in
            try? files.remove(Self.name)
            let file: any StateFile
            do throws(SystemCallError) { file = try files.create(Self.name) } catch {
                // Without a free inode no snapshot can be written, which is reported separately; appends still work.
                state = .absent
                throw error
            }
            do throws(SystemCallError) { try file.allocate(size) } catch {
                try? files.remove(Self.name)
                throw error
            }
            state = .kept
            try? files.synchronize()
        }
    }

    /// Deletes the reserve file, so that its space becomes free. Returns false if that fails.
    mutating func spend() -> Bool {
        guard state == .kept, (try? files.remove(Self.name)) != nil else { return false }
        state = .spent
        // Some file systems release the space only once the removal is on disk.
        try? files.synchronize()
        return true
    }

    /// Throws an error if a temporary file of `bytes` bytes finds no space on the disk.
    func probe(_ bytes: Int) throws(JournalError) {
        let name = SnapshotFile.temporary()
        defer { try? files.remove(name) }
        try files.perform { () throws(SystemCallError) in try files.create(name).allocate(bytes) }
    }
}
