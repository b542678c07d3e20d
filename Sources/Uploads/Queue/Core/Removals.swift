import FerryProtocols

/// The removed uploads that a user can put back.
///
/// Until 10 seconds (`window`) after its removal, an upload that is put back resumes. Then, or when the queue stops,
/// its bytes are deleted from the server, unless the server possibly has the whole file.
struct Removals {
    typealias Instant = ContinuousClock.Instant

    static let window = Duration.seconds(10)

    private var removed = QueueTable()
    /// The removed uploads with a start condition. Most queues have none, and looking at a million for it took 0.2 s.
    private var planned: Set<Upload.ID> = []
    private var windows: [(end: Instant, ids: [Upload.ID])] = []
    /// The uploads whose window has ended, but whose last attempt still runs and can store bytes at the server.
    private var overdue: Set<Upload.ID> = []
    /// The uploads that can no longer be put back, but whose last attempt still runs.
    private var forgotten: Set<Upload.ID> = []

    subscript(id: Upload.ID) -> Upload? { removed[id] }

    var nextEnd: Instant? { windows.first?.end }

    var unfinished: [Upload.ID] { removed.values.lazy.filter { !$0.isDone }.map(\.id).sorted() }

    mutating func add(_ uploads: [Upload], now: Instant) {
        for upload in uploads { add(upload) }
        beginWindow(uploads.map(\.id), now: now)
    }

    mutating func reserveCapacity(forMore count: Int) { removed.reserveCapacity(removed.count + count) }

    /// Adds a removed upload, whose window the caller begins.
    mutating func add(_ upload: Upload) {
        removed.update(upload)
        if upload.start != nil { planned.insert(upload.id) }
    }

    /// Returns the start conditions of those of these uploads that were removed.
    func conditions(of ids: [Upload.ID]) -> [Upload.StartCondition] {
        planned.isEmpty ? [] : ids.filter(planned.contains).compactMap { removed[$0]?.start }
    }

    /// Begins the time in which these uploads resume if they are put back.
    mutating func beginWindow(_ ids: [Upload.ID], now: Instant) {
        if !ids.isEmpty { windows.append((now.advanced(by: Self.window), ids)) }
    }

    /// Removes and returns the uploads of `ids` that can be put back. An upload that was running becomes queued.
    mutating func takeBack(_ ids: [Upload.ID]) -> [Upload] {
        if !windows.isEmpty {
            let taken = Set(ids)
            for index in windows.indices { windows[index].ids.removeAll(where: taken.contains) }
        }
        var back: [Upload] = []
        back.reserveCapacity(ids.count)
        for id in ids {
            guard var upload = removed.removeValue(forKey: id) else { continue }
            overdue.remove(id)
            planned.remove(id)
            upload.recover()
            back.append(upload)
        }
        return back
    }

    mutating func record(_ resource: UploadResource?, of id: Upload.ID) { removed[id]?.resource = resource }

    mutating func countSent(_ sent: ByteCount, by run: RunTable.Run, of id: Upload.ID) {
        removed[id]?.tries.countSent(sent, by: run)
    }

    /// Notes that the last attempt at a removed upload was successful, so that it is done when it is put back.
    mutating func complete(_ id: Upload.ID, as state: Upload.State) {
        removed[id]?.resource = nil
        removed[id]?.state = state
    }

    /// Ends the windows that are over. Returns the uploads whose bytes the servers must delete now, without those whose
    /// attempt still runs.
    mutating func endWindows(at now: Instant, isRunning: (Upload.ID) -> Bool) -> [Upload] {
        while let first = windows.first, first.end <= now {
            overdue.formUnion(first.ids)
            windows.removeFirst()
        }
        let ended = overdue.filter { !isRunning($0) }
        overdue.subtract(ended)
        let discarded = giveUp(ended.sorted())
        for id in ended where forgotten.remove(id) != nil { drop(id) }
        return discarded
    }

    /// Forgets uploads that can no longer be put back, and returns those whose bytes the servers must delete now. If an
    /// attempt still runs, `endWindows` forgets its upload later.
    mutating func forget(_ ids: [Upload.ID], isRunning: (Upload.ID) -> Bool) -> [Upload] {
        let ended = ids.filter { !isRunning($0) }
        forgotten.formUnion(ids.filter { removed[$0] != nil && isRunning($0) })
        let discarded = giveUp(ended)
        for id in ended { drop(id) }
        return discarded
    }

    private mutating func drop(_ id: Upload.ID) {
        removed[id] = nil
        planned.remove(id)
    }

    /// Ends all windows when the queue stops, and returns the uploads whose bytes the servers must delete now.
    mutating func endAll() -> [Upload] {
        windows = []
        overdue = []
        return giveUp(removed.ids.sorted())
    }

    private mutating func giveUp(_ ids: [Upload.ID]) -> [Upload] {
        ids.compactMap { id in
            guard let upload = removed[id], let resource = upload.resource, !upload.isDone else { return nil }
            // The server may have the whole file, which would be sent again without the resource.
            guard !resource.wholeBodySent else { return nil }
            removed[id]?.resource = nil
            return upload
        }
    }
}
