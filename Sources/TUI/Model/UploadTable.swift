import FerryProtocols
import FerryTransfer
import FerryUploads

/// The uploads, their order by rank in each tab, and sums over them, all kept up with every change.
struct UploadTable: Sendable {
    /// Changes from which on sorting anew is cheaper than moving one by one.
    private static let bulk = 256

    private var columns = UploadColumns()
    private var tabs = Tab.allCases.map { _ in RowList() }
    /// The one tab whose rows are listed apart, because only some of them are shown, or in another order.
    private var arranged: Arrangement?
    private(set) var order = RowOrder.queue
    /// Of the running ones.
    private var paces: [Upload.ID: Pace] = [:]
    private(set) var running: Set<Upload.ID> = []
    private(set) var waiting: Set<Upload.ID> = []
    /// Paused by nothing but the lack of a network.
    private(set) var offline: Set<Upload.ID> = []
    /// Held because a server does not take who we say we are.
    private(set) var unwelcome: Set<Upload.ID> = []
    /// How many are in a batch.
    private(set) var batched = 0
    /// Bytes the servers do not hold yet of what is due.
    private(set) var left = RemainingBytes()
    /// The same of what is not to start before a time.
    private(set) var bytesLater: Int128 = 0

    subscript(id: Upload.ID) -> Upload? { columns.slot(of: id).map { columns[$0] } }

    /// How many of some files the queue has already, for one destination.
    struct KnownFiles: Hashable, Sendable {
        /// Files queued for the destination, in any version.
        var queued = 0
        /// Files already uploaded to the destination in this version.
        var done = 0
    }

    /// Counts the files that the queue knows already, in one pass over the queue.
    func known(_ files: [FileSelection.File], to destination: String) -> KnownFiles {
        let wanted = Dictionary(files.map { ($0.path, $0.identity) }) { first, _ in first }
        var (queued, done): (Set<LocalPath>, Set<LocalPath>) = ([], [])
        for upload in uploads(in: .all) where upload.target.destination == destination {
            guard let identity = wanted[upload.path] else { continue }
            if upload.state.isUnfinished {
                queued.insert(upload.path)
            } else if upload.identity == identity {
                done.insert(upload.path)
            }
        }
        return KnownFiles(queued: queued.count, done: done.subtracting(queued).count)
    }

    var isEmpty: Bool { columns.isEmpty }

    /// All rows of a tab, in the order of the queue.
    func rows(in tab: Tab) -> Rows { Rows(tabs[tab.rawValue], in: columns) }

    /// The uploads of a tab, in the order of the queue.
    func uploads(in tab: Tab) -> some Sequence<Upload> { tabs[tab.rawValue].slots.lazy.map { columns[$0] } }

    /// The tab's rows as they were last arranged; all of them in the order of the queue if that was another tab.
    func shown(in tab: Tab) -> Rows {
        if let arranged, arranged.tab == tab { return Rows(arranged.rows, in: columns) }
        return rows(in: tab)
    }

    var filter: UploadFilter? { arranged?.filter }

    func count(_ tab: Tab) -> Int { tabs[tab.rawValue].slots.count }

    func place(of id: Upload.ID) -> Place? { columns.slot(of: id).map { columns.place(of: $0) } }

    /// Does now what the first filter would have to do: a person who is about to type does not wait for two things at once.
    mutating func prepareToFilter() { _ = columns.gatherPaths() }

    /// Keeps apart what is to be shown, and in which order, from now on with every change.
    mutating func arrange(_ filter: UploadFilter?, by order: RowOrder, in tab: Tab) {
        let last = order == self.order ? arranged : nil
        self.order = order
        arranged = nil
        guard filter != nil || order != .queue else { return }
        if let filter, let last, last.tab == tab, let wider = last.filter, filter.narrows(wider) {
            arranged = Arrangement(
                tab: tab, filter: filter,
                rows: last.rows.narrowed(to: filter.fitting(last.rows.slots, in: &columns)))
            return
        }
        let all = tabs[tab.rawValue].slots
        let fitting = filter?.fitting(all, in: &columns) ?? all
        if order.key == .name { columns.gatherNames() }
        arranged = Arrangement(
            tab: tab, filter: filter, rows: RowList(fitting, by: order, in: columns, paces: paces))
    }

    /// Takes in how running uploads move. Returns true if rows have changed places.
    mutating func measure(_ new: [Upload.ID: Pace]) -> Bool {
        var moved = false
        for (id, pace) in new where paces[id] != pace {
            guard let slot = columns.slot(of: id), running.contains(id) else { continue }
            paces[id] = pace
            if order.isByPace, put(columns[slot]) { moved = true }
        }
        return moved
    }

    /// Returns true if an upload came, went or moved in any tab.
    @discardableResult
    mutating func apply(_ update: QueueUpdate) -> Bool {
        var moved = false
        if update.isComplete {
            replaceAll(with: update.changed)
            moved = true
        } else if update.changed.count + update.removed.count > Self.bulk {
            return applyMany(update)
        } else {
            for upload in update.changed where put(upload) { moved = true }
        }
        for id in update.removed {
            guard let slot = columns.slot(of: id) else { continue }
            unlist(slot)
            arranged?.rows.remove(slot, in: columns)
            remove(slot)
            moved = true
        }
        return moved
    }

    private mutating func replaceAll(with uploads: [Upload]) {
        let new = UploadColumns(uploads)
        columns = new
        (paces, running, waiting, offline, unwelcome) = ([:], [], [], [], [])
        (left, bytesLater, batched) = (RemainingBytes(), 0, 0)
        new.withUploads { uploads in
            for slot in new.taken { remember(uploads[slot.index]) }
        }
        listAnew()
    }

    /// Takes in a change of many, after which the rows are put in order anew.
    private mutating func applyMany(_ update: QueueUpdate) -> Bool {
        var moved = false
        for upload in update.changed {
            if let slot = columns.slot(of: upload.id) {
                let old = columns[slot]
                forget(old)
                columns.replace(slot, with: upload)
                if !upload.isListed(as: old) { moved = true }
            } else {
                _ = columns.insert(upload)
                moved = true
            }
            remember(upload)
        }
        for id in update.removed {
            guard let slot = columns.slot(of: id) else { continue }
            remove(slot)
            moved = true
        }
        columns.pack()
        if moved || arranged != nil { listAnew() }
        return moved
    }

    /// Returns true if the upload is new or its row moved.
    private mutating func put(_ upload: Upload) -> Bool {
        guard let slot = columns.slot(of: upload.id) else {
            let slot = columns.insert(upload)
            remember(upload)
            list(slot)
            if let arranged, arranged.shows(upload) { listArranged(slot) }
            return true
        }
        let old = columns[slot]
        forget(old)
        remember(upload)
        let (staysListed, index) = (upload.isListed(as: old), arranged?.rows.index(of: slot, in: columns))
        let staysArranged = staysArranged(slot, at: index, as: upload)
        // Out of the lists while they can be searched by what it was.
        if !staysListed { unlist(slot) }
        if !staysArranged, index != nil { arranged?.rows.remove(slot, in: columns) }
        columns.replace(slot, with: upload)
        if !staysListed { list(slot) }
        guard !staysArranged else { return !staysListed }
        if let arranged, arranged.shows(upload) { listArranged(slot) }
        return !staysListed || index != arranged?.rows.index(of: slot, in: columns)
    }

    /// - Parameter index: Where it stands among the arranged rows.
    private func staysArranged(_ slot: Slot, at index: Int?, as upload: Upload) -> Bool {
        guard let arranged else { return true }
        guard index != nil, arranged.shows(upload) else { return index == nil && !arranged.shows(upload) }
        let old = columns[slot]
        return old.rank == upload.rank && old.path == upload.path
            && arranged.rows.stays(slot, key: key(of: upload))
    }

    private func key(of upload: Upload) -> UInt64 { order.key(of: upload, pace: paces[upload.id]) }

    private mutating func listArranged(_ slot: Slot) {
        let key = key(of: columns[slot])
        arranged?.rows.insert(slot, key: key, in: columns)
    }

    private mutating func list(_ slot: Slot) {
        for tab in [.all, Tab(columns[slot].state)] { tabs[tab.rawValue].insert(slot, in: columns) }
    }

    private mutating func unlist(_ slot: Slot) {
        for tab in [.all, Tab(columns[slot].state)] { tabs[tab.rawValue].remove(slot, in: columns) }
    }

    private mutating func listAnew() {
        var slots = Tab.allCases.map { _ in [Slot]() }
        slots[Tab.all.rawValue] = columns.queue
        columns.withUploads { uploads in
            for slot in slots[Tab.all.rawValue] {
                slots[Tab(uploads[slot.index].state).rawValue].append(slot)
            }
        }
        tabs = slots.map { RowList(queue: $0) }
        if let last = arranged {
            arranged = nil
            arrange(last.filter, by: order, in: last.tab)
        }
    }

    private mutating func remove(_ slot: Slot) {
        forget(columns[slot])
        paces[columns[slot].id] = nil
        columns.remove(slot)
    }

    private mutating func remember(_ upload: Upload) {
        count(upload, +1)
        if upload.batch != nil { batched += 1 }
        if case .running = upload.state {} else { paces[upload.id] = nil }
        switch upload.state {
        case .running: running.insert(upload.id)
        case .waiting: waiting.insert(upload.id)
        case .paused(.offline): offline.insert(upload.id)
        case .held(let failure) where failure.category == .authentication: unwelcome.insert(upload.id)
        case .queued, .paused, .held, .done, .failed: break
        }
    }

    private mutating func forget(_ upload: Upload) {
        count(upload, -1)
        if upload.batch != nil { batched -= 1 }
        running.remove(upload.id)
        waiting.remove(upload.id)
        offline.remove(upload.id)
        unwelcome.remove(upload.id)
    }

    /// - Parameter sign: -1 takes away what the same upload, as it was then, had added.
    private mutating func count(_ upload: Upload, _ sign: Int128) {
        let bytes = sign * max(0, Int128(upload.size) - Int128(upload.confirmed))
        if upload.isDue { left.add(bytes, of: upload) }
        if upload.isScheduled { bytesLater += bytes }
    }
}

/// What is shown of a tab where that is not all of it, or in another order than the queue's.
private struct Arrangement {
    let tab: Tab
    let filter: UploadFilter?
    var rows: RowList

    func shows(_ upload: Upload) -> Bool {
        (tab == .all || Tab(upload.state) == tab) && filter?.fits(upload) ?? true
    }
}

extension Upload {
    /// True if it stands in the same tabs as another, and at the same place of them.
    fileprivate func isListed(as other: Upload) -> Bool {
        rank == other.rank && Tab(state) == Tab(other.state)
    }
}
