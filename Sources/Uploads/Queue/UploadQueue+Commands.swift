import FerryProtocols
import FerryTransfer
import Foundation

extension UploadQueue {
    public func perform(_ command: QueueCommand) async -> QueueReply {
        guard phase != .stopped else {
            return .refused(
                UploadFailure(.permanent, "the queue is shutting down", hint: "try again in a moment"))
        }
        do throws(UploadFailure) {
            let reply = try await carryOut(command)
            // Whoever asks for something shows that the disk may be well again.
            if reply.changed != nil, saving.isRefused { await mend() }
            advance()
            return reply
        } catch {
            advance()
            return .refused(error)
        }
    }

    private func carryOut(_ command: QueueCommand) async throws(UploadFailure) -> QueueReply {
        switch command {
        case .add(let new): return answer(added: try await add(new))
        case .addMissing(let new):
            return answer(added: try await addMissing(new, unlessQueued: .inAnyVersion))
        case .addNew(let new): return answer(added: try await addMissing(new, unlessQueued: .inSameVersion))
        case .find(let new): return .uploads(new.flatMap { queued(as: $0).map(shown) })
        case .list: return .uploads(all)
        case .pause(let selection):
            return answer(try await pause(try ids(selection), batches: selection.batches))
        case .resume(let selection):
            // Whoever lets everything go on holds up nothing that comes.
            let batches = selection == .all ? settings.pausedBatches : selection.batches
            return answer(try await resume(try ids(selection), batches: batches))
        case .retry(let selection):
            let ids = try ids(selection)
            // Whoever says "now" means it: connectivity is a hint and no gate for people.
            forceGate()
            return .changed(
                try await retry(ids, isEach: selection.isEach, startsEarly: selection.isChosen))
        case .remove(let selection):
            return answer(try await remove(try ids(selection)))
        case .move(let selection, let move):
            let ids = try ids(selection)
            let ranks = try await self.move(ids, move)
            // Those that made room stand elsewhere too.
            return answer(.place(ranks), about: ids.filter { ranks[$0] != nil })
        case .limits: return .limits(limits)
        case .limitBandwidth(let bandwidth, let scope):
            guard bandwidth?.rate.map({ $0 > 0 }) ?? true else {
                throw UploadFailure(.permanent, "a limit is a number of bytes per second above 0")
            }
            return answer(try await limitBandwidth(bandwidth, of: scope))
        case .limitConcurrency(let count):
            guard (1...256).contains(count) else {
                throw UploadFailure(.permanent, "from 1 to 256 uploads can run at once")
            }
            return answer(try await limitConcurrency(count))
        case .undo: return try await goBack(.undo)
        case .undoCommand(let number): return try await undo(number)
        case .nextUndo:
            guard let undoOffer else { throw UploadFailure(.permanent, "there is nothing to undo") }
            return .undoable(undoOffer)
        case .redo: return try await goBack(.redo)
        case .tryNow:
            tryNow()
            return .changed([])
        case .stopWhenIdle:
            phase = .finishing
            return .changed([])
        case .flush:
            do throws(JournalError) { try await journal.flush() } catch { throw error.failure }
            return .changed([])
        }
    }

    /// - Throws: if an id is not in the queue: then nothing is done to the others either.
    private func ids(_ selection: UploadSelection) throws(UploadFailure) -> [Upload.ID] {
        switch selection {
        case .ids(let ids):
            try Self.checkNone(ids.filter { uploads[$0] == nil }.map(String.init))
            return Array(Set(ids))
        case .numbers(let numbers):
            let (found, missing) = numbers.found(among: uploads.values.lazy.map(\.id))
            try Self.checkNone(missing.map(UploadNumbers.name))
            return found
        case .all: return all.map(\.id)
        case .failed:
            return uploads.values.filter { upload in
                switch upload.state {
                case .failed, .held: true
                case .queued, .running, .waiting, .paused, .done: false
                }
            }.map(\.id)
        case .done:
            return uploads.values.filter(\.isDone).map(\.id)
        case .batch(let name):
            let ids = uploads.values.filter { $0.batch == name }.map(\.id)
            guard !ids.isEmpty || settings.pausedBatches.contains(name) else {
                throw .unknownBatch(
                    name, known: settings.pausedBatches.union(uploads.values.compactMap(\.batch)))
            }
            return ids
        }
    }

    static func checkNone(_ missing: [String]) throws(UploadFailure) {
        guard !missing.isEmpty else { return }
        let names = missing.prefix(5).joined(separator: ", ")
        throw UploadFailure(
            .permanent, "there is no upload \(names)\(missing.count > 5 ? ", …" : "")",
            hint: "`ferry list` shows the numbers")
    }

    /// - Parameter isEach: Whether the uploads were named one by one: then nothing is done to any of them if one of
    ///   them cannot be tried again.
    /// - Parameter startsEarly: Whether those that wait for their start begin now.
    private func retry(
        _ ids: [Upload.ID], isEach: Bool, startsEarly: Bool
    ) async throws(UploadFailure) -> [Upload.ID] {
        var left: [Upload] = []
        var identities: [Upload.ID: FileIdentity] = [:]
        var refused: Set<Upload.ID> = []
        for (id, found) in await looks(at: ids.compactMap { uploads[$0] }.filter(\.needsNewIdentity)) {
            switch found {
            case .success(let identity): identities[id] = identity
            case .failure(let failure) where failure.category == .sourceChanged:
                // A symbolic link has come into the way: it is followed for nobody who has not seen where to.
                if isEach { throw failure }
                refused.insert(id)
            // It is tried all the same, and says then what it says now.
            case .failure: break
            }
        }
        let ids = ids.filter { !refused.contains($0) }
        let changed = try await command(ids) { upload in
            let before = upload
            guard upload.retry(identity: identities[upload.id], startsEarly: startsEarly) else {
                return false
            }
            if before.resource != nil, upload.resource == nil { left.append(before) }
            // Of another version of the file nothing has been sent yet.
            if upload.identity != before.identity { upload.tries.sent = 0 }
            return true
        }
        for upload in left { discard(upload) }
        return changed
    }

    /// Looks at the files of uploads, some at a time: a medium may keep each look waiting.
    private func looks(at uploads: [Upload]) async -> [(Upload.ID, Result<FileIdentity, UploadFailure>)] {
        await withTaskGroup(of: (Upload.ID, Result<FileIdentity, UploadFailure>).self) { group in
            var left = uploads[...]
            func addNext() {
                guard let upload = left.popFirst() else { return }
                group.addTask(executorPreference: surroundings.executor) { [look = surroundings.look] in
                    (upload.id, await look(upload.path, upload.identity))
                }
            }
            for _ in 0..<16 { addNext() }
            var found: [(Upload.ID, Result<FileIdentity, UploadFailure>)] = []
            while let next = await group.next() {
                found.append(next)
                addNext()
            }
            return found.sorted { $0.0 < $1.0 }
        }
    }

    /// - Returns: The ranks that the uploads that stand elsewhere now had.
    private func move(
        _ ids: [Upload.ID], _ move: QueueMove
    ) async throws(UploadFailure) -> [Upload.ID: Int64] {
        await beginMove()
        defer { endMove() }
        let chosen = Set(ids)
        // To sort a whole queue takes a second when it is very long; these two need not know it.
        let order =
            switch move {
            case .top, .bottom: ids.compactMap { uploads[$0] }.sorted { $0.rank < $1.rank }
            case .up, .down: all
            }
        return try await rank(
            QueueOrder.ranks(after: move, of: chosen, in: order.map { ($0.id, $0.rank) }, within: ranks))
    }

    /// Puts uploads at these ranks.
    ///
    /// - Returns: The ranks that those that stand elsewhere now had.
    func place(_ ranks: [Upload.ID: Int64]) async throws(UploadFailure) -> [Upload.ID: Int64] {
        await beginMove()
        defer { endMove() }
        return try await rank(ranks)
    }

    private func rank(_ ranks: [Upload.ID: Int64]) async throws(UploadFailure) -> [Upload.ID: Int64] {
        self.ranks =
            ranks.values.reduce(self.ranks) { min($0.lowerBound, $1)...max($0.upperBound, $1) }
        var before: [Upload.ID: Int64] = [:]
        let changed = try await command(Array(ranks.keys)) { upload in
            guard let rank = ranks[upload.id] else { return false }
            before[upload.id] = upload.rank
            upload.rank = rank
            return true
        }
        return before.filter { changed.contains($0.key) }
    }

    /// One at a time: a move that the disk refuses is taken back, and a later one must not have built upon it.
    private func beginMove() async {
        while isMoving { await withCheckedContinuation { moveWaiters.append($0) } }
        isMoving = true
    }

    private func endMove() {
        isMoving = false
        for waiter in moveWaiters { waiter.resume() }
        moveWaiters = []
    }

    /// - Parameter count: Nil for what the configuration says.
    /// - Returns: What brings the number of before back.
    func limitConcurrency(_ count: Int?) async throws(UploadFailure) -> Reversal {
        let before = settings.concurrency
        try await saveSettings { $0.concurrency = count }
        publish([])
        return .limitConcurrency(before)
    }

    func saveSettings(_ change: (inout QueueSettings) -> Void) async throws(UploadFailure) {
        let before = settings
        change(&settings)
        do throws(JournalError) {
            try await journal.append([.settings(settings)], durably: true)
        } catch {
            settings.limits = before.limits
            settings.concurrency = before.concurrency
            throw reportDisk(error)
        }
    }
}
