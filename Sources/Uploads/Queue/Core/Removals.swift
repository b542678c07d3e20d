import FerryProtocols

/// The removed uploads that a user can put back.
///
/// If an upload is put back within 10 seconds (`window`), it resumes. After 10 seconds, or when the queue stops, its
/// bytes are deleted from the server. If the upload is put back later, it is sent from its beginning. But the bytes
/// stay if the server possibly has the whole file.
struct Removals {
    typealias Instant = ContinuousClock.Instant

    static let window = Duration.seconds(10)

    private var removed: [Upload.ID: Upload] = [:]
    private var windows: [(end: Instant, ids: [Upload.ID])] = []
    /// The uploads that were removed at least 10 seconds ago (`window`) and whose last attempt still runs. Their bytes
    /// are deleted from the server when the attempt has ended, because a running attempt can still store bytes there.
    private var overdue: Set<Upload.ID> = []
    /// The uploads that can no longer be put back, but whose last attempt still runs. They stay in `removed` until the
    /// attempt has ended.
    private var forgotten: Set<Upload.ID> = []

    subscript(id: Upload.ID) -> Upload? { removed[id] }

    /// The next instant at which a removal becomes 10 seconds (`window`) old; nil if all removals are older.
    var nextEnd: Instant? { windows.first?.end }

    /// The numbers of the removed uploads that were not done, sorted.
    var unfinished: [Upload.ID] { removed.values.lazy.filter { !$0.isDone }.map(\.id).sorted() }

    mutating func add(_ uploads: [Upload], now: Instant) {
        guard !uploads.isEmpty else { return }
        for upload in uploads { removed[upload.id] = upload }
        windows.append((now.advanced(by: Self.window), uploads.map(\.id)))
    }

    /// Removes and returns the uploads of `ids` that can be put back. An upload that was running becomes queued.
    mutating func takeBack(_ ids: [Upload.ID]) -> [Upload] {
        let taken = Set(ids)
        for index in windows.indices { windows[index].ids.removeAll(where: taken.contains) }
        return ids.compactMap { id in
            guard var upload = removed.removeValue(forKey: id) else { return nil }
            overdue.remove(id)
            upload.recover()
            return upload
        }
    }

    /// Notes how much the server has stored of a removed upload whose attempt has not ended.
    mutating func record(_ resource: UploadResource?, of id: Upload.ID) { removed[id]?.resource = resource }

    mutating func countSent(_ sent: ByteCount, by run: RunTable.Run, of id: Upload.ID) {
        removed[id]?.tries.countSent(sent, by: run)
    }

    /// Notes that the last attempt at a removed upload was successful. If a user puts the upload back, it is done.
    mutating func complete(_ id: Upload.ID, as state: Upload.State) {
        removed[id]?.resource = nil
        removed[id]?.state = state
    }

    /// Processes the removals that are at least 10 seconds (`window`) old.
    ///
    /// - Returns: The uploads whose bytes the servers must delete now. An upload whose attempt still runs is returned
    ///   by a later call.
    mutating func endWindows(at now: Instant, isRunning: (Upload.ID) -> Bool) -> [Upload] {
        while let first = windows.first, first.end <= now {
            overdue.formUnion(first.ids)
            windows.removeFirst()
        }
        let ended = overdue.filter { !isRunning($0) }
        overdue.subtract(ended)
        let discarded = giveUp(ended.sorted())
        for id in ended where forgotten.remove(id) != nil { removed[id] = nil }
        return discarded
    }

    /// Forgets uploads that can no longer be put back, because the undo action of their removal was dropped. If the
    /// attempt of an upload still runs, `endWindows` forgets this upload later.
    ///
    /// - Returns: The uploads whose bytes the servers must delete now.
    mutating func forget(_ ids: [Upload.ID], isRunning: (Upload.ID) -> Bool) -> [Upload] {
        let ended = ids.filter { !isRunning($0) }
        forgotten.formUnion(ids.filter { removed[$0] != nil && isRunning($0) })
        let discarded = giveUp(ended)
        for id in ended { removed[id] = nil }
        return discarded
    }

    /// Ends the wait for an undo of all removed uploads, even of those that were removed less than 10 seconds
    /// (`window`) ago. Call this function when the queue stops.
    ///
    /// - Returns: The uploads whose bytes the servers must delete now.
    mutating func endAll() -> [Upload] {
        windows = []
        overdue = []
        return giveUp(removed.keys.sorted())
    }

    private mutating func giveUp(_ ids: [Upload.ID]) -> [Upload] {
        ids.compactMap { id in
            guard let upload = removed[id], let resource = upload.resource, !upload.isDone else { return nil }
            // The server may have stored an upload whose whole body was sent. Without its resource, the upload would be
            // sent a second time if it is put back.
            guard !resource.wholeBodySent else { return nil }
            removed[id]?.resource = nil
            return upload
        }
    }
}
