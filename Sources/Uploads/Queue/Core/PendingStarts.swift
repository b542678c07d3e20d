/// The uploads that have a start condition, each with the upload or the time for which it waits now.
struct PendingStarts {
    enum Wait: Hashable {
        /// The upload waits for this one, the highest number of several, which usually ends last.
        case upload(Upload.ID)
        case date(Date)
        case rest
    }

    private var waits: [Upload.ID: Wait] = [:]
    private var dependents: [Upload.ID: Set<Upload.ID>] = [:]
    private var dates = DeadlineQueue<Upload.ID, Date>()

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
        case .date(let date): dates.wait(id, until: date)
        case .rest: break
        }
    }

    mutating func forget(_ id: Upload.ID) {
        dates.forget(id)
        guard case .upload(let other) = waits.removeValue(forKey: id) else { return }
        following -= 1
        dependents[other]?.remove(id)
        if dependents[other]?.isEmpty ?? false { dependents[other] = nil }
    }

    func dependents(of id: Upload.ID) -> Set<Upload.ID> { dependents[id] ?? [] }

    mutating func nextDate() -> Date? { dates.nextInstant() }

    /// Returns the uploads whose start time has come, and notes that they wait for nothing.
    mutating func due(at now: Date) -> [Upload.ID] {
        let due = dates.due(at: now)
        for id in due { waits[id] = .rest }
        return due
    }
}
