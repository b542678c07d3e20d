/// Room on the disk that is kept for when there is no other: a file of the state folder that holds nothing.
///
/// On a full disk an order of a person can be refused and given again. What a server has answered cannot be asked for
/// again, and a snapshot makes the queue's files smaller. So those two may take the reserve, in the order they come;
/// orders are refused until it is whole again, because whatever they took would be missing there.
struct JournalReserve {
    static let name = "reserve"

    private(set) var state = State.absent

    private let files: any StateFiles
    /// The size in bytes; 0 for no reserve at all.
    private let size: Int

    enum State: Equatable {
        /// There never was a reserve, or the folder takes no more files: nothing to fall back on, and nothing to wait
        /// for.
        case absent
        case kept
        /// Given away, and the bytes for a new one are missing.
        case spent
    }

    init(_ size: Int, in files: any StateFiles) {
        self.size = size
        self.files = files
    }

    /// Takes over what an earlier process left, or makes it. Not having it is no reason not to start.
    mutating func prepare() {
        guard size > 0 else { return }
        let length = Result { () throws(SystemCallError) in
            try files.open(Self.name, for: .reading)?.length() ?? 0
        }
        if case .success(size) = length {
            state = .kept
        } else {
            // A disk that never had room for one is used without.
            try? fill()
        }
    }

    /// Makes it if it is not there.
    mutating func fill() throws(JournalError) {
        guard size > 0, state != .kept else { return }
        do throws(SystemCallError) {
            try? files.remove(Self.name)
            let file: any StateFile
            do throws(SystemCallError) { file = try files.create(Self.name) } catch {
                // No inode: that holds up snapshots, which say so themselves, and no appends.
                state = .absent
                throw error
            }
            do throws(SystemCallError) { try file.allocate(size) } catch {
                try? files.remove(Self.name)
                throw error
            }
            state = .kept
            try? files.synchronize()
        } catch {
            throw JournalError(error, in: files.path)
        }
    }

    /// Gives its bytes and its inode back to the disk. False if there is none.
    mutating func spend() -> Bool {
        guard state == .kept, (try? files.remove(Self.name)) != nil else { return false }
        state = .spent
        // Some file systems give the room to others only once the removal is on disk.
        try? files.synchronize()
        return true
    }

    /// Whether the disk takes `bytes` more, tried on a file that is removed again.
    func probe(_ bytes: Int) throws(JournalError) {
        let name = SnapshotFile.temporary()
        defer { try? files.remove(name) }
        do throws(SystemCallError) {
            try files.create(name).allocate(bytes)
        } catch {
            throw JournalError(error, in: files.path)
        }
    }
}
