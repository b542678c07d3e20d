import FerryProtocols

/// The changes of the queue that one client has not read yet, with only the newest state of each upload.
struct PendingUpdates {
    /// Changes of many uploads, as a copy of the queue and the numbers of those that have changed in it.
    private struct Pages {
        let uploads: QueueTable
        /// The uploads that have not been read, in ascending order.
        private(set) var ids: ArraySlice<Upload.ID>
        /// The uploads that changed or were removed since the copy was made.
        var outdated: Set<Upload.ID> = []
        private let size: Int

        init(_ uploads: QueueTable, _ ids: [Upload.ID]) {
            self.uploads = uploads
            self.ids = ids[...]
            // Some clients look at their whole list after each update, so a long change has few pages.
            size = max(UpdateListeners.pageSize, ids.count / 8)
        }

        mutating func next() -> [Upload] {
            let page = ids.prefix(size)
            ids = ids.dropFirst(page.count)
            var found: [Upload] = []
            found.reserveCapacity(page.count)
            for id in page where !outdated.contains(id) {
                if let upload = uploads[id] { found.append(upload) }
            }
            return found
        }
    }

    /// The queue as it was when the client began to follow it; nil once the client has read it.
    private var whole: QueueTable?
    private var pages: Pages?
    private var changed: [Upload.ID: Upload] = [:]
    private var removed: Set<Upload.ID> = []
    private var status: EngineStatus?

    /// Creates the updates of a client that knows the queue as it is now.
    init() {}

    init(of uploads: QueueTable, _ status: EngineStatus) {
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
        changed new: [Upload.ID], in uploads: QueueTable, removed gone: [Upload.ID], _ status: EngineStatus
    ) {
        removed.subtract(new)
        // The copy is newer than all earlier changes, too.
        let earlier = Set(changed.keys).union(pages?.ids ?? [])
        pages = Pages(uploads, earlier.isEmpty ? new.sorted() : earlier.union(new).sorted())
        changed = [:]
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

    /// Returns the whole queue at first, unless the client knows it, and then the next changes; nil if there are none.
    mutating func take() -> QueueUpdate? {
        guard let status else { return nil }
        if let uploads = whole.take() {
            // Later changes go into the next update, so that they differ from the initial state.
            if changed.isEmpty, removed.isEmpty, pages == nil { self.status = nil }
            return QueueUpdate(isComplete: true, changed: uploads.all, removed: [], status: status)
        }
        let page = pages?.next() ?? []
        defer { removed = [] }
        return QueueUpdate(
            isComplete: false, changed: page + takeChanged(), removed: Array(removed), status: status,
            isContinued: !isEmpty)
    }

    /// Returns the single changes. Those after the next upload of the pages wait for it: new uploads arrive by number.
    private mutating func takeChanged() -> [Upload] {
        guard let next = pages?.ids.first else {
            defer { (changed, pages, status) = ([:], nil, nil) }
            return Array(changed.values)
        }
        let ready = changed.values.filter { $0.id < next }
        for upload in ready { changed[upload.id] = nil }
        return ready
    }
}
