import Transfer
import UploadProtocols

extension UploadQueue {
    func add(_ new: [NewUpload]) async throws(UploadFailure) -> [Upload.ID] {
        guard phase != .finishing else {
            throw UploadFailure(
                .permanent, "the queue is finishing and takes nothing new", hint: "start ferry again")
        }
        guard settings.nextID < Int.max - new.count, ranks.upperBound < Int64.max - Int64(new.count) else {
            throw UploadFailure(
                .permanent, "the queue has no numbers left", hint: "begin a new one with --state")
        }
        var added: [QueueChange] = []
        added.reserveCapacity(new.count)
        for item in new {
            ranks = ranks.lowerBound...(ranks.upperBound + 1)
            added.append(
                .set(
                    Upload(
                        id: settings.nextID, rank: ranks.upperBound, path: item.path, identity: item.identity,
                        target: item.target, added: clock.date())))
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
        for case .set(let upload) in added {
            store(upload)
            ids.append(upload.id)
        }
        publish(ids)
        return ids
    }

    /// Adds those that are not there yet: on their way to the same place, whatever version, or there in this version.
    func addMissing(_ new: [NewUpload]) async throws(UploadFailure) -> [Upload.ID] {
        let known = KnownUploads(uploads.values)
        // Somebody else may be adding the same, and its record not be on disk yet.
        let missing = new.filter { !known.contains($0) && arriving.insert(UploadKey($0)).inserted }
        defer { for item in missing { arriving.remove(UploadKey(item)) } }
        return missing.isEmpty ? [] : try await add(missing)
    }
}
