public import FerryConnectivity
import FerryProtocols
import Foundation

extension UploadQueue {
    /// Reads the queue back without starting anything, for commands that only change it.
    ///
    /// - Returns: What recovery had to put right, for people.
    /// - Throws: `JournalError` if the queue cannot be read; then nothing has been changed.
    public func open() throws(JournalError) -> [RecoveryNotice] {
        var recovered = try journal.load()
        uploadsByPath = nil
        settings = recovered.settings
        applyLimits()
        uploads.reserveCapacity(recovered.uploads.count)
        var planned: [Upload.ID] = []
        var ready: (host: UploadHost?, uploads: [(id: Upload.ID, rank: Int64)]) = (nil, [])
        // From the end, as then each of a million is moved and not copied.
        var held: [Upload] = []
        while var upload = recovered.uploads.popLast() {
            upload.recover()
            if upload.resource != nil { held.append(upload) }
            ranks = min(ranks.lowerBound, upload.rank)...max(ranks.upperBound, upload.rank)
            if case .waiting = upload.state {
                store(upload)
                continue
            }
            uploads.insert(upload)
            if upload.state.isPending { pending += 1 }
            // Most of a long queue, and mostly for one host.
            guard upload.start == nil else {
                planned.append(upload.id)
                continue
            }
            guard case .queued = upload.state else { continue }
            let host = runner.host(of: upload)
            if let last = ready.host, last != host {
                scheduler.enqueue(ready.uploads, host: last)
                ready.uploads.removeAll(keepingCapacity: true)
            }
            ready.host = host
            ready.uploads.append((upload.id, upload.rank))
        }
        if let host = ready.host { scheduler.enqueue(ready.uploads, host: host) }
        // Whoever put one back may have been killed before it was struck out.
        if !held.isEmpty { runner.reclaim(held) }
        // What they wait for may have been read after them.
        for id in planned {
            if let upload = uploads[id] { store(upload) }
        }
        return recovered.notices
    }

    /// Reads the queue back and starts what may start.
    ///
    /// - Parameters:
    ///   - monitor: Tells when the network goes and returns; nil takes it to be always there.
    ///   - suspensions: Tells when the machine slept.
    /// - Returns: What recovery had to put right, for people.
    /// - Throws: `JournalError` if the queue cannot be read; then nothing has been changed.
    @discardableResult
    public func start(
        monitor: (any LinkMonitor)?, suspensions: SuspensionMonitor? = nil
    ) throws(JournalError) -> [RecoveryNotice] {
        let notices = try open()
        phase = .accepting
        applyLimits()
        rememberEnded()
        completeHistory()
        let conditions = journal.conditions()
        keeper = Task(executorPreference: surroundings.executor) { [weak self] in
            for await condition in conditions { await self?.journalChanged(condition) }
        }
        decideUncertain()
        if let monitor {
            if monitor.holdsUntilKnown { gate = .unknown }
            forbidsNetwork = { monitor.forbidsNetwork(because: $0) }
            let statuses = monitor.statuses()
            watcher = Task(executorPreference: surroundings.executor) { [weak self] in
                for await status in statuses { await self?.linkChanged(status) }
            }
        }
        if let suspensions = suspensions?.suspensions() {
            sleepWatcher = Task(executorPreference: surroundings.executor) { [weak self] in
                for await _ in suspensions { await self?.machineSlept() }
            }
        }
        advance()
        return notices
    }

    /// What waits for a person's decision that the configuration now makes. Nothing starts before it is on disk.
    func decideUncertain() {
        // What is being ordered of one may yet be refused, and then it is as it was.
        for var upload in uploads.values
        where !ordered.contains(upload.id) && upload.decide(by: configuration.retry) {
            store(upload)
            unsaved.insert([upload.id])
        }
        guard !unsaved.isEmpty else { return }
        Task(executorPreference: surroundings.executor) { [ids = Array(unsaved.ids)] in
            await self.save(ids, durably: true)
            await self.advance()
        }
    }
}
