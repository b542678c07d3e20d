import Transfer
import UploadProtocols
import Uploads

/// The uploads by id, their order by rank in each tab, and sums over them, all kept up with every change.
struct UploadTable: Sendable {
    /// Changes from which on sorting anew is cheaper than moving one by one.
    private static let bulk = 256

    private var uploads: [Upload.ID: Upload] = [:]
    private var places: [[Place]] = Tab.allCases.map { _ in [] }
    /// The one tab whose rows are listed apart, because only some of them are shown, or in another order.
    private var arranged: (tab: Tab, filter: UploadFilter?, rows: Rows)?
    private(set) var order = RowOrder.queue
    /// Of the running ones.
    private var paces: [Upload.ID: Pace] = [:]
    private(set) var running: Set<Upload.ID> = []
    private(set) var waiting: Set<Upload.ID> = []
    /// Paused by nothing but the lack of a network.
    private(set) var offline: Set<Upload.ID> = []
    /// Bytes the servers do not hold yet of what will be sent without anybody doing anything.
    private(set) var bytesLeft: Int128 = 0

    subscript(id: Upload.ID) -> Upload? { uploads[id] }

    /// How many of the paths are on their way to a destination.
    func countUnfinished(_ paths: Set<LocalPath>, to destination: String) -> Int {
        let here = uploads.values.lazy.filter { upload in
            upload.state.isUnfinished && upload.target.destination == destination
                && paths.contains(upload.path)
        }
        return Set(here.map(\.path)).count
    }

    var isEmpty: Bool { uploads.isEmpty }

    func places(in tab: Tab) -> [Place] { places[tab.rawValue] }

    /// The tab's rows as they were last arranged; all of them in the order of the queue if that was another tab.
    func shown(in tab: Tab) -> Rows {
        if let arranged, arranged.tab == tab { return arranged.rows }
        return Rows(places(in: tab))
    }

    var filter: UploadFilter? { arranged?.filter }

    /// Keeps apart what is to be shown, and in which order, from now on with every change.
    mutating func arrange(_ filter: UploadFilter?, by order: RowOrder, in tab: Tab) {
        let known = order == self.order ? arranged : nil
        self.order = order
        guard filter != nil || order != .queue else {
            arranged = nil
            return
        }
        guard let filter else {
            arranged = (tab, nil, rows(places(in: tab)))
            return
        }
        func fits(_ place: Place) -> Bool { uploads[place.id].map(filter.fits) ?? false }
        if let known, known.tab == tab, let last = known.filter, filter.narrows(last) {
            arranged = (tab, filter, known.rows.keeping(fits))
        } else {
            arranged = (tab, filter, rows(places(in: tab).filter(fits)))
        }
    }

    /// Takes in how running uploads move. Returns true if rows have changed places.
    mutating func measure(_ new: [Upload.ID: Pace]) -> Bool {
        var moved = false
        for (id, pace) in new where paces[id] != pace {
            guard let upload = uploads[id], running.contains(id) else { continue }
            paces[id] = pace
            if order.isByPace, refit(upload, upload) { moved = true }
        }
        return moved
    }

    private func value(of upload: Upload) -> SortValue { order.value(of: upload, pace: paces[upload.id]) }

    private func rows(_ places: [Place]) -> Rows {
        Rows(places, by: order) { id in uploads[id].map(value) }
    }

    func count(_ tab: Tab) -> Int { places[tab.rawValue].count }

    func place(of id: Upload.ID) -> Place? {
        uploads[id].map { Place(rank: $0.rank, id: id) }
    }

    /// Returns true if an upload came, went or moved in any tab.
    @discardableResult
    mutating func apply(_ update: QueueUpdate) -> Bool {
        if update.isComplete {
            let (last, order) = (arranged, order)
            self = UploadTable()
            self.order = order
            if let last { arrange(last.filter, by: order, in: last.tab) }
        }
        let isBulk = update.changed.count + update.removed.count > Self.bulk
        var moved = update.isComplete
        for upload in update.changed {
            let old = uploads.updateValue(upload, forKey: upload.id)
            if let old { forget(old) }
            remember(upload)
            if !isBulk, refit(old, upload) { moved = true }
            let stays = old.map { $0.rank == upload.rank && Tab($0.state) == Tab(upload.state) } ?? false
            if stays { continue }
            moved = true
            if isBulk { continue }
            if let old { remove(old) }
            insert(upload)
        }
        for id in update.removed {
            guard let old = uploads.removeValue(forKey: id) else { continue }
            forget(old)
            paces[id] = nil
            moved = true
            if !isBulk {
                remove(old)
                refit(old, nil)
            }
        }
        if isBulk, moved || arranged != nil { sortAnew() }
        return moved
    }

    private mutating func remember(_ upload: Upload) {
        bytesLeft += Self.left(upload)
        if case .running = upload.state {} else { paces[upload.id] = nil }
        switch upload.state {
        case .running: running.insert(upload.id)
        case .waiting: waiting.insert(upload.id)
        case .paused(.offline): offline.insert(upload.id)
        case .queued, .paused, .held, .done, .failed: break
        }
    }

    private mutating func forget(_ upload: Upload) {
        bytesLeft -= Self.left(upload)
        running.remove(upload.id)
        waiting.remove(upload.id)
        offline.remove(upload.id)
    }

    private mutating func insert(_ upload: Upload) {
        let place = Place(rank: upload.rank, id: upload.id)
        places[Tab.all.rawValue].insertSorted(place)
        places[Tab(upload.state).rawValue].insertSorted(place)
    }

    private mutating func remove(_ upload: Upload) {
        let place = Place(rank: upload.rank, id: upload.id)
        places[Tab.all.rawValue].removeSorted(place)
        places[Tab(upload.state).rawValue].removeSorted(place)
    }

    private mutating func sortAnew() {
        let sorted = uploads.values.map { Place(rank: $0.rank, id: $0.id) }.sorted()
        places = Tab.allCases.map { _ in [] }
        places[Tab.all.rawValue] = sorted
        for place in sorted {
            guard let upload = uploads[place.id] else { continue }
            places[Tab(upload.state).rawValue].append(place)
        }
        if let last = arranged {
            arranged = nil
            arrange(last.filter, by: order, in: last.tab)
        }
    }

    /// Returns true if the upload came into what is kept apart, left it or moved in it.
    @discardableResult
    private mutating func refit(_ old: Upload?, _ new: Upload?) -> Bool {
        guard let tab = arranged?.tab else { return false }
        let filter = arranged?.filter
        func place(_ upload: Upload?) -> Place? {
            guard let upload, tab == .all || Tab(upload.state) == tab, filter?.fits(upload) ?? true else {
                return nil
            }
            return Place(rank: upload.rank, id: upload.id)
        }
        let (before, after) = (place(old), place(new))
        if order == .queue, before == after { return false }
        let was = before.flatMap { arranged?.rows.index(of: $0) }
        if let before { arranged?.rows.remove(before) }
        if let after, let new {
            let value = value(of: new)
            arranged?.rows.insert(after, value: value)
        }
        return before != after || was != after.flatMap { arranged?.rows.index(of: $0) }
    }

    private static func left(_ upload: Upload) -> Int128 {
        upload.goesOnByItself ? max(0, Int128(upload.size) - Int128(upload.confirmed)) : 0
    }
}

extension Upload {
    /// True if it will be sent without anybody doing anything.
    var goesOnByItself: Bool {
        switch state {
        case .queued, .running, .waiting, .paused(.offline): true
        case .paused, .held, .done, .failed: false
        }
    }
}
