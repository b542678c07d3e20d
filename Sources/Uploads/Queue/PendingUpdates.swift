import FerryProtocols

/// The changes of the queue that one client has not read yet, with only the newest state of each upload.
struct PendingUpdates {
    /// Changes of many uploads, as a copy of the queue and the numbers of those that have changed in it.
    private struct Pages {
        var uploads: UploadTable
        var ids: ArraySlice<Upload.ID>
        /// The uploads that changed or were removed since the copy was made.
        var outdated: Set<Upload.ID> = []

        mutating func next() -> [Upload] {
            let page = ids.prefix(UpdateListeners.pageSize)
            ids = ids.dropFirst(page.count)
            return page.compactMap { outdated.contains($0) ? nil : uploads[$0] }
        }
    }

    /// The queue as it was when the client began to follow it; nil once the client has read it.
    private var whole: UploadTable?
    private var pages: Pages?
    private var changed: [Upload.ID: Upload] = [:]
    private var removed: Set<Upload.ID> = []
    private var status: EngineStatus?

    init(of uploads: UploadTable, _ status: EngineStatus) {
        whole = uploads
        self.status = status
    }

    var isEmpty: Bool { status == nil }

    mutating func add(changed new: [Upload], removed gone: [Upload.ID], _ status: EngineStatus) {
        for upload in new {
            changed[upload.id] = upload
            removed.remove(upload.id)
            pages?.outdated.insert(upload.id)
        }
        remove(gone)
        self.status = status
    }

    /// Adds changes of many uploads. `uploads` is a copy of the queue.
    mutating func add(
        changed new: [Upload.ID], in uploads: UploadTable, removed gone: [Upload.ID], _ status: EngineStatus
    ) {
        // The copy is newer than all earlier changes, too.
        let ids = Set(new).union(pages?.ids ?? []).union(changed.keys)
        removed.subtract(new)
        changed = [:]
        pages = Pages(uploads: uploads, ids: ids.sorted()[...])
        remove(gone)
        self.status = status
    }

    private mutating func remove(_ gone: [Upload.ID]) {
        for id in gone {
            changed[id] = nil
            removed.insert(id)
            pages?.outdated.insert(id)
        }
    }

    /// Returns the whole queue at first, and then the next changes; nil if there is nothing new.
    mutating func take() -> QueueUpdate? {
        guard let status else { return nil }
        if let uploads = whole.take() {
            // Later changes go into the next update, so that they differ from the initial state.
            if changed.isEmpty, removed.isEmpty, pages == nil { self.status = nil }
            return QueueUpdate(isComplete: true, changed: uploads.all, removed: [], status: status)
        }
        let page = pages?.next() ?? []
        if pages?.ids.isEmpty ?? true { (pages, self.status) = (nil, nil) }
        defer { (changed, removed) = ([:], []) }
        return QueueUpdate(
            isComplete: false, changed: page + changed.values, removed: Array(removed), status: status)
    }
}
