/// Disk space that is reserved for a full disk: a file in the state folder whose content is never read.
///
/// On a full disk, the journal can refuse a command, because the user can repeat it. But a server's response cannot be
/// requested again, and a snapshot makes the queue's files smaller. So a response or a snapshot can use the reserve,
/// whichever needs it first. Commands are then refused until the reserve is complete again, because they would take
/// its space.
struct JournalReserve {
    static let name = "reserve"

    private(set) var state = State.absent

    private let files: any StateFiles
    /// The size in bytes; 0 for no reserve.
    private let size: Int

    enum State: Equatable {
        /// There is no reserve: none is configured, or none could be created. Commands are accepted nevertheless.
        case absent
        case kept
        /// The space was released, and no new reserve has been created yet.
        case spent
    }

    init(_ size: Int, in files: any StateFiles) {
        self.size = size
        self.files = files
    }

    /// Takes over the reserve of an earlier process, or creates one. If that fails, the queue works without a reserve.
    mutating func prepare() {
        guard size > 0 else { return }
        let length = Result { () throws(SystemCallError) in
            try files.open(Self.name, for: .reading)?.length() ?? 0
        }
        if case .success(size) = length {
            state = .kept
        } else {
            // A disk that lacks the space for a reserve is used without one.
            try? fill()
        }
    }

    /// Creates the reserve if it is missing.
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

    /// Releases the bytes and the inode of the reserve. Returns false if there is none, or if it cannot be removed.
    mutating func spend() -> Bool {
        guard state == .kept, (try? files.remove(Self.name)) != nil else { return false }
        state = .spent
        // Some file systems release the space only once the removal is on disk.
        try? files.synchronize()
        return true
    }

    /// Checks that the disk has space for `bytes` more, by creating a file of this size and removing it.
    func probe(_ bytes: Int) throws(JournalError) {
        let name = SnapshotFile.temporary()
        defer { try? files.remove(name) }
        try files.perform { () throws(SystemCallError) in try files.create(name).allocate(bytes) }
    }
}
