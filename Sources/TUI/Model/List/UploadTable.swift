import FerryProtocols
import FerryUploads

/// The uploads, the rows of each tab, and sums over the uploads.
struct UploadTable: Sendable {
    /// The number of changes above which a new sort is cheaper than moving rows one by one.
    private static let bulk = 1000

    private var uploads = UploadStore()
    private var tabs = Tab.allCases.map { _ in RowList() }
    private var arranged: Arrangement?
    private(set) var order = RowOrder.queue
    private var rates: [Upload.ID: TransferRate] = [:]
    private(set) var running: Set<Upload.ID> = []
    private(set) var waiting: Set<Upload.ID> = []
    private(set) var offline: Set<Upload.ID> = []
    /// The held uploads whose credentials a server refuses.
    private(set) var signInRequired: Set<Upload.ID> = []
    private(set) var batched = 0
    /// The unconfirmed bytes of the due uploads (`Upload.isDue`).
    private(set) var left = RemainingBytes()
    /// The unconfirmed bytes of the queued uploads with a start time (`Upload.isScheduled`).
    private(set) var bytesLater: Int128 = 0

    subscript(id: Upload.ID) -> Upload? { uploads[id] }

    /// The numbers of files chosen for a destination that are already queued for it or uploaded to it.
    struct KnownFiles: Hashable, Sendable {
        /// The files with an unfinished upload, even if they have changed since.
        var queued = 0
        /// The other files that were uploaded and have not changed.
        var done = 0
    }

    /// - Parameter past: The history's done uploads of these paths.
    func known(
        _ files: [FileSelection.File], to destination: String, past: [Upload]
    ) -> KnownFiles {
        guard !isEmpty || !past.isEmpty else { return KnownFiles() }
        let wanted = Dictionary(files.map { ($0.path, $0.identity) }) { first, _ in first }
        var (queued, done): (Set<LocalPath>, Set<LocalPath>) = ([], [])
        for upload in uploads.all where upload.target.destination == destination {
            guard let identity = wanted[upload.path] else { continue }
            if upload.state.isUnfinished {
                queued.insert(upload.path)
            } else if upload.identity == identity {
                done.insert(upload.path)
            }
        }
        for upload in past where upload.target.destination == destination {
            if wanted[upload.path] == upload.identity { done.insert(upload.path) }
        }
        return KnownFiles(queued: queued.count, done: done.subtracting(queued).count)
    }

    var isEmpty: Bool { uploads.all.isEmpty }

    func rows(in tab: Tab) -> Rows { Rows(list: tabs[tab.rawValue], table: self) }

    func uploads(in tab: Tab) -> some Sequence<Upload> {
        tabs[tab.rawValue].rows.lazy.compactMap { uploads[$0.position.id] }
    }

    /// Returns the rows of a tab, filtered and sorted.
    func shown(in tab: Tab) -> Rows {
        if let arranged, arranged.tab == tab { return Rows(list: arranged.list, table: self) }
        return rows(in: tab)
    }

    var filter: RowFilter? { arranged?.filter }

    func count(_ tab: Tab) -> Int { tabs[tab.rawValue].rows.count }

    func position(of id: Upload.ID) -> QueuePosition? { uploads[id]?.position }

    func row(of id: Upload.ID, by order: RowOrder) -> Row? {
        uploads[id].map { order.row(of: $0, rate: rates[id]) }
    }

    /// Filters and sorts a tab, and no other tab any more.
    mutating func arrange(_ filter: RowFilter?, by order: RowOrder, in tab: Tab) {
        self.order = order
        arranged = nil
        guard filter != nil || order != .queue else { return }
        var arrangement = Arrangement(tab: tab, filter: filter, list: RowList(by: order))
        arrangement.list = RowList(rows { arrangement.row(of: $0, rate: $1) }, by: order)
        arranged = arrangement
    }

    private func rows(_ row: (Upload, TransferRate?) -> Row?) -> [Row] {
        // The buffer avoids the array's iterator, which would change the reference counts of each upload.
        uploads.all.withUnsafeBufferPointer { all in
            all.indices.compactMap { index in
                row(all[index], rates.isEmpty ? nil : rates[all[index].id])
            }
        }
    }

    /// Returns true if rows have moved.
    mutating func measure(_ new: [Upload.ID: TransferRate]) -> Bool {
        var moved = false
        for (id, rate) in new where rates[id] != rate && running.contains(id) {
            guard let upload = uploads[id] else { continue }
            let old = arranged?.row(of: upload, rate: rates[id])
            rates[id] = rate
            if order.isByRate, let new = arranged?.row(of: upload, rate: rate) {
                moved = arranged?.list.replace(old, with: new) ?? false || moved
            }
        }
        return moved
    }

    /// Returns true if a row was possibly added, removed or moved.
    @discardableResult
    mutating func apply(_ update: QueueUpdate) -> Bool {
        if update.isComplete { return replaceAll(with: update) }
        let isBulk = update.changed.count + update.removed.count > Self.bulk
        var moved = false
        for upload in update.changed { moved = replace(upload.id, with: upload, lists: !isBulk) || moved }
        for id in update.removed { moved = replace(id, with: nil, lists: !isBulk) || moved }
        guard isBulk, moved || arranged != nil else { return moved }
        listAnew()
        // The filter or the sort may hide or move rows that stay at their position in the queue.
        return true
    }

    private mutating func replaceAll(with update: QueueUpdate) -> Bool {
        let (filter, order, tab) = (filter, order, arranged?.tab)
        self = UploadTable()
        uploads = UploadStore(update.changed)
        for id in update.removed { uploads.remove(id) }
        for upload in uploads.all { remember(upload) }
        self.order = order
        if let tab { arranged = Arrangement(tab: tab, filter: filter, list: RowList(by: order)) }
        listAnew()
        return true
    }

    /// Adds, replaces or removes an upload. Returns true if its rows changed, or must change if not `lists`.
    private mutating func replace(_ id: Upload.ID, with new: Upload?, lists: Bool) -> Bool {
        let old = uploads[id]
        let oldRow = lists ? old.flatMap { arranged?.row(of: $0, rate: rates[id]) } : nil
        if let old { forget(old) }
        if let new {
            uploads.put(new)
            remember(new)
        } else {
            rates[id] = nil
            uploads.remove(id)
        }
        guard lists else {
            return old?.position != new?.position || old.map { Tab($0.state) } != new.map { Tab($0.state) }
        }
        let newRow = new.flatMap { arranged?.row(of: $0, rate: rates[id]) }
        var moved = arranged?.list.replace(oldRow, with: newRow) ?? false
        for tab in Tab.allCases {
            let oldRow = old.flatMap { tab.shows($0) ? RowOrder.queue.row(of: $0) : nil }
            let newRow = new.flatMap { tab.shows($0) ? RowOrder.queue.row(of: $0) : nil }
            moved = tabs[tab.rawValue].replace(oldRow, with: newRow) || moved
        }
        return moved
    }

    private mutating func listAnew() {
        var rows = Tab.allCases.map { _ in [Row]() }
        uploads.all.withUnsafeBufferPointer { all in
            for index in all.indices {
                let row = RowOrder.queue.row(of: all[index])
                rows[Tab.all.rawValue].append(row)
                rows[Tab(all[index].state).rawValue].append(row)
            }
        }
        tabs = rows.map { RowList($0) }
        if let arranged { arrange(arranged.filter, by: order, in: arranged.tab) }
    }

    private mutating func remember(_ upload: Upload) {
        count(upload, +1)
        if upload.batch != nil { batched += 1 }
        if case .running = upload.state {} else { rates[upload.id] = nil }
        switch upload.state {
        case .running: running.insert(upload.id)
        case .waiting: waiting.insert(upload.id)
        case .paused(.offline): offline.insert(upload.id)
        case .held(let failure) where failure.category == .authentication: signInRequired.insert(upload.id)
        case .queued, .paused, .held, .done, .failed: break
        }
    }

    private mutating func forget(_ upload: Upload) {
        count(upload, -1)
        if upload.batch != nil { batched -= 1 }
        running.remove(upload.id)
        waiting.remove(upload.id)
        offline.remove(upload.id)
        signInRequired.remove(upload.id)
    }

    /// Adds (`sign` 1) or subtracts (-1) the unconfirmed bytes of an upload.
    private mutating func count(_ upload: Upload, _ sign: Int128) {
        let bytes = sign * max(0, Int128(upload.size) - Int128(upload.confirmed))
        if upload.isDue { left.add(bytes, of: upload) }
        if upload.isScheduled { bytesLater += bytes }
    }
}

private struct Arrangement {
    let tab: Tab
    let filter: RowFilter?
    var list: RowList

    func row(of upload: Upload, rate: TransferRate?) -> Row? {
        tab.shows(upload) && filter?.fits(upload) ?? true ? list.order.row(of: upload, rate: rate) : nil
    }
}

/// The uploads by their id. The array of a complete update is stored without a copy if no id is repeated.
struct UploadStore: Sendable {
    private(set) var all: [Upload] = []
    private var indices: [Upload.ID: Int] = [:]

    init() {}

    init(_ uploads: [Upload]) {
        all = uploads
        indices.reserveCapacity(uploads.count)
        for index in uploads.indices { indices[uploads[index].id] = index }
        guard indices.count < uploads.count else { return }
        self = UploadStore()
        for upload in uploads { put(upload) }
    }

    subscript(id: Upload.ID) -> Upload? { indices[id].map { all[$0] } }

    mutating func put(_ upload: Upload) {
        if let index = indices[upload.id] {
            all[index] = upload
        } else {
            indices[upload.id] = all.count
            all.append(upload)
        }
    }

    mutating func remove(_ id: Upload.ID) {
        guard let index = indices.removeValue(forKey: id) else { return }
        // The last upload moves to the free index, and no other moves.
        let last = all.removeLast()
        guard last.id != id else { return }
        all[index] = last
        indices[last.id] = index
    }
}
