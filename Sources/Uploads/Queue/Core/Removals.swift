import FerryProtocols

/// The removed uploads that can be put back.
///
/// The bytes of a removed upload stay on the server for `window`, but at most until the queue stops. If the
/// upload is put back within this time, it resumes. After `window`, it can still be put back, but is sent from its
/// beginning, unless the server possibly has the whole file.
struct Removals {
    typealias Instant = ContinuousClock.Instant

    static let window = Duration.seconds(10)

    private var removed: [Upload.ID: Upload] = [:]
    private var windows: [(end: Instant, ids: [Upload.ID])] = []
    /// The uploads whose window is over while their last attempt still runs. Their bytes are deleted when the attempt
    /// has ended, because a running attempt can still store bytes and change the upload's resource.
    private var overdue: Set<Upload.ID> = []
    /// The uploads that can no longer be put back, and that are still here because their last attempt runs.
    private var forgotten: Set<Upload.ID> = []

    subscript(id: Upload.ID) -> Upload? { removed[id] }

    /// The instant at which the next window ends; nil if there is no window.
    var nextEnd: Instant? { windows.first?.end }

    /// The numbers of the removed uploads that were not done, sorted.
    var unfinished: [Upload.ID] { removed.values.lazy.filter { !$0.isDone }.map(\.id).sorted() }

    mutating func add(_ uploads: [Upload], now: Instant) {
        guard !uploads.isEmpty else { return }
        for upload in uploads { removed[upload.id] = upload }
        windows.append((now.advanced(by: Self.window), uploads.map(\.id)))
    }

    /// Removes and returns the uploads of `ids` that can be put back. Running ones become queued.
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

    /// Notes the number of bytes that the last attempt at a removed upload had sent.
    mutating func countSent(_ sent: ByteCount, by run: RunTable.Run, of id: Upload.ID) {
        removed[id]?.tries.countSent(sent, by: run)
    }

    /// Notes that the last attempt at a removed upload was successful. If a user puts the upload back, it is done.
    mutating func complete(_ id: Upload.ID, as state: Upload.State) {
        removed[id]?.resource = nil
        removed[id]?.state = state
    }

    /// Ends the windows that are over. The bytes of their uploads can then be deleted from the servers.
    ///
    /// - Returns: The uploads whose bytes the servers must delete. An upload whose attempt still runs is returned by a
    ///   later call.
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

    /// Forgets uploads that can no longer be put back. An upload without a running attempt is forgotten at once.
    /// `endWindows` forgets any other upload, once its attempt has ended and its window is over.
    ///
    /// - Returns: The uploads whose bytes the servers must delete.
    mutating func forget(_ ids: [Upload.ID], isRunning: (Upload.ID) -> Bool) -> [Upload] {
        let ended = ids.filter { !isRunning($0) }
        forgotten.formUnion(ids.filter { removed[$0] != nil && isRunning($0) })
        let discarded = giveUp(ended)
        for id in ended { removed[id] = nil }
        return discarded
    }

    /// Ends every window.
    ///
    /// - Returns: The uploads whose bytes the servers must delete.
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
