import Transfer
import UploadProtocols
import Uploads

/// The uploads by id, their order by rank in each tab, and sums over them, all kept up with every change.
struct UploadTable: Sendable {
    /// Changes from which on sorting anew is cheaper than moving one by one.
    private static let bulk = 256

    private var uploads: [Upload.ID: Upload] = [:]
    private var places: [[Place]] = Tab.allCases.map { _ in [] }
    /// The one tab of which only what fits is listed apart.
    private var narrowed: (tab: Tab, filter: UploadFilter, places: [Place])?
    private(set) var running: Set<Upload.ID> = []
    private(set) var waiting: Set<Upload.ID> = []
    /// Paused by nothing but the lack of a network.
    private(set) var offline: Set<Upload.ID> = []
    /// Bytes the servers do not hold yet of what will be sent without anybody doing anything.
    private(set) var bytesLeft: Int128 = 0

    subscript(id: Upload.ID) -> Upload? { uploads[id] }

    var isEmpty: Bool { uploads.isEmpty }

    func places(in tab: Tab) -> [Place] { places[tab.rawValue] }

    /// What of the tab fits the filter, if that is what the table was last narrowed to; else all of it.
    func shown(in tab: Tab) -> [Place] {
        if let narrowed, narrowed.tab == tab { return narrowed.places }
        return places(in: tab)
    }

    var filter: UploadFilter? { narrowed?.filter }

    /// Keeps apart what fits, from now on with every change.
    mutating func narrow(to filter: UploadFilter?, in tab: Tab) {
        guard let filter else {
            narrowed = nil
            return
        }
        let known = narrowed.flatMap { $0.tab == tab && filter.narrows($0.filter) ? $0.places : nil }
        let fitting = (known ?? places(in: tab)).filter { place in
            uploads[place.id].map(filter.fits) ?? false
        }
        narrowed = (tab, filter, fitting)
    }

    func count(_ tab: Tab) -> Int { places[tab.rawValue].count }

    func place(of id: Upload.ID) -> Place? {
        uploads[id].map { Place(rank: $0.rank, id: id) }
    }

    /// Returns true if an upload came, went or moved in any tab.
    @discardableResult
    mutating func apply(_ update: QueueUpdate) -> Bool {
        if update.isComplete {
            let last = narrowed
            self = UploadTable()
            if let last { narrow(to: last.filter, in: last.tab) }
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
            moved = true
            if !isBulk {
                remove(old)
                refit(old, nil)
            }
        }
        if isBulk, moved || narrowed != nil { sortAnew() }
        return moved
    }

    private mutating func remember(_ upload: Upload) {
        bytesLeft += Self.left(upload)
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
        if let last = narrowed {
            narrowed = nil
            narrow(to: last.filter, in: last.tab)
        }
    }

    /// Returns true if the upload came into what is kept apart, left it or moved in it.
    @discardableResult
    private mutating func refit(_ old: Upload?, _ new: Upload?) -> Bool {
        guard let (tab, filter, _) = narrowed else { return false }
        func place(_ upload: Upload?) -> Place? {
            guard let upload, tab == .all || Tab(upload.state) == tab, filter.fits(upload) else { return nil }
            return Place(rank: upload.rank, id: upload.id)
        }
        let (before, after) = (place(old), place(new))
        guard before != after else { return false }
        if let before { narrowed?.places.removeSorted(before) }
        if let after { narrowed?.places.insertSorted(after) }
        return true
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
