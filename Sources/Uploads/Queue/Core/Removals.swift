import FerryProtocols

/// The removed uploads that can be put back.
///
/// The bytes of a removed upload stay on the server for `window`, or until the queue stops, so that the upload can be
/// put back as it was. Afterwards the upload can still be put back, but is sent again from its beginning.
struct Removals {
    typealias Instant = ContinuousClock.Instant

    static let window = Duration.seconds(10)

    private var removed: [Upload.ID: Upload] = [:]
    private var windows: [(end: Instant, ids: [Upload.ID])] = []
    /// The uploads whose window is over and whose last attempt still runs: it reports what the server has stored.
    private var overdue: Set<Upload.ID> = []

    subscript(id: Upload.ID) -> Upload? { removed[id] }

    /// The end of the next window.
    var nextEnd: Instant? { windows.first?.end }

    /// Notes newly removed uploads.
    mutating func add(_ uploads: [Upload], now: Instant) {
        guard !uploads.isEmpty else { return }
        for upload in uploads { removed[upload.id] = upload }
        windows.append((now.advanced(by: Self.window), uploads.map(\.id)))
    }

    /// Removes those of `ids` that can be put back, and returns them in their state after that.
    mutating func takeBack(_ ids: [Upload.ID]) -> [Upload] {
        ids.compactMap { id in
            guard var upload = removed.removeValue(forKey: id) else { return nil }
            overdue.remove(id)
            upload.recover()
            return upload
        }
    }

    /// Notes the uploads again: the disk refused to put them back.
    mutating func restore(_ uploads: [Upload]) {
        for upload in uploads { removed[upload.id] = upload }
    }

    /// Notes what the server has stored of a removed upload whose attempt has not ended.
    mutating func record(_ resource: UploadResource?, of id: Upload.ID) { removed[id]?.resource = resource }

    /// Notes how much of a removed upload its last attempt had sent.
    mutating func countSent(_ sent: ByteCount, by run: RunTable.Run, of id: Upload.ID) {
        removed[id]?.tries.countSent(sent, by: run)
    }

    /// Notes that the last attempt at a removed upload was successful: if put back, it has arrived already.
    mutating func complete(_ id: Upload.ID, as state: Upload.State) {
        removed[id]?.resource = nil
        removed[id]?.state = state
    }

    /// Ends the windows that are over.
    ///
    /// - Returns: The uploads whose bytes the servers must delete.
    mutating func endWindows(at now: Instant, isRunning: (Upload.ID) -> Bool) -> [Upload] {
        while let first = windows.first, first.end <= now {
            overdue.formUnion(first.ids)
            windows.removeFirst()
        }
        let ended = overdue.filter { !isRunning($0) }
        overdue.subtract(ended)
        return giveUp(ended.sorted())
    }

    /// Forgets uploads that can no longer be put back. Running ones stay until the end of their window.
    ///
    /// - Returns: The uploads whose bytes the servers must delete.
    mutating func forget(_ ids: [Upload.ID], isRunning: (Upload.ID) -> Bool) -> [Upload] {
        let ended = ids.filter { !isRunning($0) }
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
            // Without the resource, an upload that may have arrived would be sent a second time.
            guard !resource.wholeBodySent else { return nil }
            removed[id]?.resource = nil
            return upload
        }
    }
}
