import Transfer
import UploadProtocols
import Uploads

/// The uploads by id, their order by rank in each tab, and sums over them, all kept up with every change.
struct UploadTable: Sendable {
    /// Changes from which on sorting anew is cheaper than moving one by one.
    private static let bulk = 256

    private var uploads: [Upload.ID: Upload] = [:]
    private var places: [[Place]] = Tab.allCases.map { _ in [] }
    private(set) var running: Set<Upload.ID> = []
    private(set) var waiting: Set<Upload.ID> = []
    /// Paused by nothing but the lack of a network.
    private(set) var offline: Set<Upload.ID> = []
    /// Bytes the servers do not hold yet of what will be sent without anybody doing anything.
    private(set) var bytesLeft: Int128 = 0

    subscript(id: Upload.ID) -> Upload? { uploads[id] }

    var isEmpty: Bool { uploads.isEmpty }

    func places(in tab: Tab) -> [Place] { places[tab.rawValue] }

    func count(_ tab: Tab) -> Int { places[tab.rawValue].count }

    func place(of id: Upload.ID) -> Place? {
        uploads[id].map { Place(rank: $0.rank, id: id) }
    }

    /// Returns true if an upload came, went or moved in any tab.
    @discardableResult
    mutating func apply(_ update: QueueUpdate) -> Bool {
        if update.isComplete { self = UploadTable() }
        let isBulk = update.changed.count + update.removed.count > Self.bulk
        var moved = update.isComplete
        for upload in update.changed {
            let old = uploads.updateValue(upload, forKey: upload.id)
            if let old { forget(old) }
            remember(upload)
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
            if !isBulk { remove(old) }
        }
        if isBulk, moved { sortAnew() }
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
