import FerryProtocols
import Foundation

/// Uploads that start once others are done, or not before a time by the wall clock.
///
/// What holds is dropped in memory, and from the record with the next one that is written: read back, it holds again.
extension UploadQueue {
    /// The wall clock may be set at any moment, and nobody tells: it is looked at so often.
    private static let longestLook = Duration.seconds(60)

    /// The upload without what already holds of its condition. Notes what it waits for.
    func admitted(_ upload: Upload) -> Upload {
        guard let start = upload.start else {
            if !starts.isEmpty { starts.forget(upload.id) }
            return upload
        }
        guard case .queued = upload.state else {
            starts.note(upload.id, .rest)
            return upload
        }
        var upload = upload
        if let other = doneRuns.lastOpen(in: start.after, of: uploads, isOpen: isOpen) {
            if let date = start.notBefore, date <= clock.date() { upload.start?.notBefore = nil }
            starts.note(upload.id, .upload(other))
            return upload
        }
        if let date = start.notBefore, date > clock.date() {
            if !start.after.isEmpty { upload.start?.after = [] }
            starts.note(upload.id, .date(date))
        } else {
            upload.start = nil
            starts.forget(upload.id)
        }
        return upload
    }

    /// True if it is not done, or a crash could make it run again.
    private func isOpen(_ id: Upload.ID) -> Bool {
        guard let upload = uploads[id] else { return false }
        return !upload.isDone || unconfirmed[id] != nil
    }

    /// One is done, on disk too: what waited for it may go on.
    func letFollow(_ id: Upload.ID) {
        let followers = starts.followers(of: id)
        guard !followers.isEmpty else { return }
        reconsider(followers)
    }

    /// The dates that have come.
    func startDue() { reconsider(starts.due(at: clock.date())) }

    /// When to look at the wall clock again.
    func nextStart(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let date = starts.nextDate() else { return nil }
        let left = Duration.seconds(max(0, min(date.timeIntervalSince(clock.date()), 3600)))
        return now.advanced(by: min(left, Self.longestLook))
    }

    private func reconsider(_ ids: some Sequence<Upload.ID>) {
        let ids = ids.sorted()
        for id in ids {
            if let upload = uploads[id] { store(upload) }
        }
        if !ids.isEmpty { publish(ids) }
    }
}

// Adding and removing.
extension UploadQueue {
    /// What of a condition does not hold yet, with those of its numbers that are not done.
    ///
    /// - Throws: If a number, or every one of a range, is not in the queue.
    func resolved(_ start: Upload.StartCondition) throws(UploadFailure) -> Upload.StartCondition? {
        var open: [Upload.ID] = []
        var missing: [String] = []
        for range in start.after {
            let there = known(in: range)
            if there.isEmpty { missing.append(UploadNumbers.name(range)) }
            open += there.filter(isOpen)
        }
        try Self.checkNone(missing)
        let date = start.notBefore.flatMap { $0 > clock.date() ? $0 : nil }
        return Upload.StartCondition(notBefore: date, after: UploadNumbers(joining: open).ranges).ifAny
    }

    /// - Parameter range: Any, as it may come from another process.
    func known(in range: ClosedRange<Upload.ID>) -> [Upload.ID] {
        let given = 0...max(0, settings.nextID - 1)
        guard range.overlaps(given) else { return [] }
        let range = range.clamped(to: given)
        return range.count <= uploads.count
            ? range.filter { uploads[$0] != nil } : uploads.values.map(\.id).filter(range.contains)
    }

    /// What waits for some of these, which are about to be removed and will not be done, as it is to be from then on.
    func stranded(by ids: [Upload.ID]) -> [Upload] {
        guard !starts.isEmpty else { return [] }
        let gone = ids.filter { uploads[$0]?.isDone == false }.sorted()
        guard !gone.isEmpty else { return [] }
        let goneToo = Set(ids)
        return starts.ids.compactMap { uploads[$0] }.compactMap { upload in
            guard !goneToo.contains(upload.id), upload.state.isStartable,
                let other = upload.start?.after.lazy.compactMap({ UploadNumbers.first(in: $0, of: gone) })
                    .first
            else { return nil }
            var upload = upload
            upload.state = .held(.awaitedRemoved(other))
            return upload
        }
    }
}

extension Upload.State {
    /// True if the upload may still start by itself, or when somebody lets it.
    fileprivate var isStartable: Bool {
        switch self {
        case .queued, .paused: true
        case .running, .waiting, .held, .done, .failed: false
        }
    }
}

extension UploadFailure {
    fileprivate static func awaitedRemoved(_ id: Upload.ID) -> UploadFailure {
        UploadFailure(
            .permanent, "upload \(id), which it was to start after, was removed before it was done",
            hint: "retry starts it all the same")
    }
}
