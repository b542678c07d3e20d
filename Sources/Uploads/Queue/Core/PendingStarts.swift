import FerryFiles
import HeapModule

/// The uploads that have a start condition, each with the upload or the time for which it waits now.
struct PendingStarts {
    enum Wait: Hashable {
        /// The upload waits for this upload. Of several, this is the one with the highest number, which usually ends
        /// last.
        case upload(Upload.ID)
        case date(Date)
        case rest
    }

    private struct Entry: Comparable {
        var date: Date
        var id: Upload.ID

        static func < (left: Entry, right: Entry) -> Bool { left.date < right.date }
    }

    private var waits: [Upload.ID: Wait] = [:]
    private var dependents: [Upload.ID: Set<Upload.ID>] = [:]
    /// The start times. `nextDate` removes those for which no upload waits any more.
    private var dates = Heap<Entry>()

    private(set) var following = 0

    var isEmpty: Bool { waits.isEmpty }

    var ids: some Sequence<Upload.ID> { waits.keys }

    mutating func note(_ id: Upload.ID, _ wait: Wait) {
        guard waits[id] != wait else { return }
        forget(id)
        waits[id] = wait
        switch wait {
        case .upload(let other):
            dependents[other, default: []].insert(id)
            following += 1
        case .date(let date): dates.insert(Entry(date: date, id: id))
        case .rest: break
        }
    }

    mutating func forget(_ id: Upload.ID) {
        guard case .upload(let other) = waits.removeValue(forKey: id) else { return }
        following -= 1
        dependents[other]?.remove(id)
        if dependents[other]?.isEmpty ?? false { dependents[other] = nil }
    }

    func dependents(of id: Upload.ID) -> Set<Upload.ID> { dependents[id] ?? [] }

    mutating func nextDate() -> Date? {
        while let first = dates.min, waits[first.id] != .date(first.date) { dates.removeMin() }
        return dates.min?.date
    }

    /// Returns the uploads whose start time has come, and notes that they wait for nothing.
    mutating func due(at now: Date) -> [Upload.ID] {
        var due: [Upload.ID] = []
        while let next = nextDate(), next <= now, let entry = dates.popMin() {
            waits[entry.id] = .rest
            due.append(entry.id)
        }
        return due
    }
}
