import FerryProtocols
import FerryTransfer
import Foundation

/// Removing uploads and putting them back.
///
/// What a server holds of a removed upload stays there until nobody can put the upload back as it was: for
/// `undoWindow`, or until the queue stops.
extension UploadQueue {
    static let undoWindow = Duration.seconds(10)

    /// - Returns: What takes it back.
    func remove(_ ids: [Upload.ID]) async throws(UploadFailure) -> Reversal {
        let gone: [Upload]
        let stranded: [Upload.ID: Upload.State]
        do throws(JournalError) { (gone, stranded) = try await takeOut(ids, durably: true) } catch {
            throw reportDisk(error)
        }
        history?.add(gone.compactMap { HistoryEntry(removed: $0, at: clock.date()) })
        for upload in gone { removed[upload.id] = upload }
        let ids = gone.map(\.id)
        cancelRuns(ids)
        publish(Array(stranded.keys), removed: ids)
        runner.abandon(gone, since: clock.date().addingTimeInterval(Self.undoWindow / .seconds(1)))
        if !ids.isEmpty { giveUpLater(ids) }
        return .putBack(ids, stranded: stranded)
    }

    /// Puts removed uploads back where they were. Of those whose parts at the server are gone by now, all is sent again.
    ///
    /// - Parameter stranded: What the removal held, as it was before: that waits again, unless somebody decided otherwise.
    func putBack(
        _ ids: [Upload.ID], stranded: [Upload.ID: Upload.State]
    ) async throws(UploadFailure) -> [Upload.ID] {
        // An upload never has two senders, and the last one still says what the server holds.
        for id in ids { await runs[id]?.task.value }
        await ordersEnd(Array(stranded.keys))
        let waiting = stranded.compactMap { id, state -> Upload? in
            guard var upload = uploads[id], upload.start != nil, case .held = upload.state else { return nil }
            upload.state = state
            return upload
        }
        ordered.formUnion(stranded.keys)
        defer { endOrder(Array(stranded.keys)) }
        let back = ids.compactMap { removed.removeValue(forKey: $0) }.map { upload in
            var upload = upload
            upload.recover()
            return upload
        }
        runner.reclaim(back)
        do throws(JournalError) {
            // Before they are in memory: an upload that is not on disk must not start.
            try await journal.append((back + waiting).map { .set($0) }, durably: true)
        } catch {
            for upload in back { removed[upload.id] = upload }
            runner.abandon(back, since: clock.date())
            throw reportDisk(error)
        }
        // One that is not there counts as done for those that wait for it, and they only wait for earlier ones.
        for upload in (back + waiting).sorted(by: { $0.id < $1.id }) { store(upload) }
        publish((back + waiting).map(\.id))
        return back.map(\.id)
    }

    private func giveUpLater(_ ids: [Upload.ID]) {
        lastRemoval += 1
        let number = lastRemoval
        removals[number] = Task(executorPreference: surroundings.executor) { [weak self, clock] in
            let end = clock.now().advanced(by: Self.undoWindow)
            guard (try? await clock.sleep(end)) != nil else { return }
            await self?.giveUp(ids, removal: number)
        }
    }

    private func giveUp(_ ids: [Upload.ID], removal number: Int) async {
        for id in ids { await runs[id]?.task.value }
        removals[number] = nil
        giveUp(ids)
    }

    /// The window is over: what the servers hold of them is deleted there.
    func giveUp(_ ids: some Sequence<Upload.ID>) {
        for id in ids {
            guard let upload = removed[id], upload.resource != nil, !upload.isDone else { continue }
            removed[id]?.resource = nil
            discard(upload)
        }
    }

    /// Nobody can put these back any more.
    func forgetRemoved(_ ids: [Upload.ID]) {
        // What there is to delete of one that still runs is known when that has ended, and its window takes care of it.
        let ended = ids.filter { runs[$0] == nil }
        giveUp(ended)
        for id in ended { removed[id] = nil }
    }

    /// Deletes what the server holds, beside everything else.
    func discard(_ upload: Upload) {
        lastDiscard += 1
        let number = lastDiscard
        // Should the server not answer, or this process end.
        runner.abandon([upload], since: clock.date())
        discards[number] = Task(executorPreference: surroundings.executor) { [runner] in
            await runner.discard(upload)
            await self.forgetDiscard(number)
        }
    }

    private func forgetDiscard(_ number: Int) { discards[number] = nil }
}
