import FerryProtocols
import FerryTransfer

extension UploadQueue {
    func add(_ new: [NewUpload]) async throws(UploadFailure) -> QueueReply {
        guard phase != .finishing else {
            throw UploadFailure(
                .permanent, "the queue is finishing and takes nothing new", hint: "start ferry again")
        }
        guard settings.nextID < Int.max - new.count, ranks.upperBound < Int64.max - Int64(new.count) else {
            throw UploadFailure(
                .permanent, "the queue has no numbers left", hint: "begin a new one with --state-dir")
        }
        try Self.checkBatches(new)
        let awaited = try await awaited(by: new)
        ordered.formUnion(awaited.ids)
        defer { endOrder(awaited.ids) }
        var added: [QueueChange] = []
        added.reserveCapacity(new.count)
        var last: Upload?
        for item in new {
            ranks = ranks.lowerBound...(ranks.upperBound + 1)
            var upload = Upload(
                id: settings.nextID, rank: ranks.upperBound, path: item.path, identity: item.identity,
                target: item.target, state: isPaused(item.batch) ? .paused(.user) : .queued,
                added: clock.date(), batch: item.batch,
                start: item.start.flatMap { awaited.conditions[$0] ?? nil })
            if let last { upload.shareRest(with: last) }
            last = upload
            added.append(.set(upload))
            settings.nextID += 1
        }
        do throws(JournalError) {
            // Before they are in memory: an upload that is not on disk must not start.
            try await journal.append(added, durably: true)
        } catch {
            throw reportDisk(error)
        }
        var ids: [Upload.ID] = []
        ids.reserveCapacity(added.count)
        var paused = false
        for case .set(let upload) in added {
            store(upload)
            ids.append(upload.id)
            if case .paused = upload.state { paused = true }
        }
        publish(ids)
        if new.contains(where: { $0.batch != nil }) { await followBatches(ids) }
        return paused ? .addedPaused(ids) : .changed(ids)
    }

    /// Adds those that are not there yet, in time that does not grow with the queue.
    func addMissing(
        _ new: [NewUpload], unlessQueued match: KnownUploads.Match
    ) async throws(UploadFailure) -> QueueReply {
        // Somebody else may be adding the same, and its record not be on disk yet.
        let missing = new.filter { item in
            !queued(as: item).contains { match.makesNeedless(item, $0) }
                && arriving.insert(UploadKey(item)).inserted
        }
        defer { for item in missing { arriving.remove(UploadKey(item)) } }
        return missing.isEmpty ? .changed([]) : try await add(missing)
    }

    private static func checkBatches(_ new: [NewUpload]) throws(UploadFailure) {
        var last: String?
        for case let batch? in new.lazy.map(\.batch) where batch != last {
            if let flaw = Upload.flaw(ofBatch: batch) {
                throw UploadFailure(.permanent, "the name of a batch \(flaw)")
            }
            last = batch
        }
    }

    /// What the conditions come to now, and the uploads that they wait for: these stay until the new ones are here.
    private func awaited(
        by new: [NewUpload]
    ) async throws(UploadFailure) -> (
        conditions: [Upload.StartCondition: Upload.StartCondition?], ids: [Upload.ID]
    ) {
        var asked: Set<Upload.StartCondition> = []
        var last: Upload.StartCondition?
        for case let start? in new.lazy.map(\.start) where start != last {
            asked.insert(start)
            last = start
        }
        guard !asked.isEmpty else { return ([:], []) }
        await ordersEnd(asked.flatMap(\.after).flatMap(known))
        var conditions: [Upload.StartCondition: Upload.StartCondition?] = [:]
        for start in asked { conditions[start] = .some(try resolved(start)) }
        return (conditions, conditions.values.compactMap { $0 }.flatMap(\.after).flatMap(known))
    }

    /// Batches may have been paused, or let go on, while these were written down.
    private func followBatches(_ ids: [Upload.ID]) async {
        let planned = ids.compactMap { uploads[$0] }.filter { $0.batch != nil }
        let late = planned.filter { isPaused($0.batch) && $0.state == .queued }.map(\.id)
        let early = planned.filter { !isPaused($0.batch) && $0.state == .paused(.user) }.map(\.id)
        // Where the disk refuses, they stay as the answer to the order has them.
        if !late.isEmpty { _ = try? await pause(late) }
        if !early.isEmpty { _ = try? await resume(early) }
    }
}
