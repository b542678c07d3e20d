import FerryProtocols

/// The removed uploads that can be put back.
///
/// What a server has of a removed upload stays there until nobody can put the upload back as it was: for `window`, or
/// until the queue stops. Afterwards the upload can still be put back, and is sent again from its beginning.
struct Removals {
    typealias Instant = ContinuousClock.Instant

    static let window = Duration.seconds(10)

    private var removed: [Upload.ID: Upload] = [:]
    private var windows: [(end: Instant, ids: [Upload.ID])] = []
    /// Their window is over, and their last attempt still runs: it says what the server has.
    private var overdue: Set<Upload.ID> = []

    subscript(id: Upload.ID) -> Upload? { removed[id] }

    /// The end of the next window.
    var nextEnd: Instant? { windows.first?.end }

    /// Notes uploads that are removed now.
    mutating func add(_ uploads: [Upload], now: Instant) {
        guard !uploads.isEmpty else { return }
        for upload in uploads { removed[upload.id] = upload }
        windows.append((now.advanced(by: Self.window), uploads.map(\.id)))
    }

    /// Takes out those of `ids` that can be put back, as they are to be then.
    mutating func takeBack(_ ids: [Upload.ID]) -> [Upload] {
        ids.compactMap { id in
            guard var upload = removed.removeValue(forKey: id) else { return nil }
            overdue.remove(id)
            upload.recover()
            return upload
        }
    }

    /// Notes again what was taken out: the disk refused to put it back.
    mutating func restore(_ uploads: [Upload]) {
        for upload in uploads { removed[upload.id] = upload }
    }

    /// Notes what the server has of a removed upload whose attempt has not ended.
    mutating func record(_ resource: UploadResource?, of id: Upload.ID) { removed[id]?.resource = resource }

    /// Notes how much of a removed upload its last attempt had sent.
    mutating func countSent(_ sent: ByteCount, by run: RunTable.Run, of id: Upload.ID) {
        removed[id]?.tries.countSent(sent, by: run)
    }

    /// Notes that the last attempt at a removed upload was successful: put back, it has arrived already.
    mutating func complete(_ id: Upload.ID, as state: Upload.State) {
        removed[id]?.resource = nil
        removed[id]?.state = state
    }

    /// Ends the windows that are over.
    ///
    /// - Returns: The uploads of which the servers are to delete what they have.
    mutating func endWindows(at now: Instant, isRunning: (Upload.ID) -> Bool) -> [Upload] {
        while let first = windows.first, first.end <= now {
            overdue.formUnion(first.ids)
            windows.removeFirst()
        }
        let ended = overdue.filter { !isRunning($0) }
        overdue.subtract(ended)
        return giveUp(ended.sorted())
    }

    /// Forgets uploads that nobody can put back any more. Those that still run are left to their window.
    ///
    /// - Returns: The uploads of which the servers are to delete what they have.
    mutating func forget(_ ids: [Upload.ID], isRunning: (Upload.ID) -> Bool) -> [Upload] {
        let ended = ids.filter { !isRunning($0) }
        let discarded = giveUp(ended)
        for id in ended { removed[id] = nil }
        return discarded
    }

    /// Ends every window.
    ///
    /// - Returns: The uploads of which the servers are to delete what they have.
    mutating func endAll() -> [Upload] {
        windows = []
        overdue = []
        return giveUp(removed.keys.sorted())
    }

    private mutating func giveUp(_ ids: [Upload.ID]) -> [Upload] {
        ids.compactMap { id in
            guard let upload = removed[id], let resource = upload.resource, !upload.isDone else { return nil }
            // Forgotten, the question whether the file has arrived would be answered by sending it again.
            guard !resource.wholeBodySent else { return nil }
            removed[id]?.resource = nil
            return upload
        }
    }
}
