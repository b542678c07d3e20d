package import FerryProtocols
import FerryTransfer

/// Carries out the commands of users. Most commands that change the queue are transactions: the journal writes the
/// whole change as one record.
extension UploadQueue {
    public func perform(_ command: QueueCommand) async -> QueueReply {
        guard core.phase != .stopped else {
            return .refused(
                UploadFailure(.permanent, "the queue is shutting down", hint: "try again in a moment"))
        }
        let number = command.kind.map { order.begin($0) }
        defer { if let number { order.end(number) } }
        if let number, order.mustWait(number) {
            await withCheckedContinuation { order.wait(number, $0) }
        }
        do throws(UploadFailure) {
            let reply = try await carryOut(command, number)
            // The change of the command is on disk, so the disk may work again.
            if reply.changed != nil, core.health.isRefused { await repairJournal() }
            send(.advance)
            return reply
        } catch {
            send(.advance)
            return .refused(error)
        }
    }

    /// - Parameter number: The number of the command, from `CommandOrder.begin`. Nil for a command that never waits for
    ///   another command, such as `list`.
    private func carryOut(
        _ command: QueueCommand, _ number: Int?
    ) async throws(UploadFailure) -> QueueReply {
        switch command {
        case .add(let new): return try await add(new, .all)
        case .addMissing(let new): return try await add(new, .missing(.inAnyVersion))
        case .addNew(let new): return try await add(new, .missing(.inSameVersion))
        case .find(let new):
            let now = now
            return .uploads(new.flatMap { core.queued(as: $0) }.map { core.shown($0, at: now) })
        case .list: return .uploads(all)
        case .pause(let selection):
            return reply(
                try await transact(.change(try core.ids(selection), .pause, pausing: selection.batches)))
        case .resume(let selection):
            // `resume --all` also resumes batches, so that uploads added later start.
            let batches = selection == .all ? core.settings.pausedBatches : selection.batches
            return reply(
                try await transact(.change(try core.ids(selection), .resume, resuming: batches)))
        case .retry(let selection):
            let ids = try core.ids(selection)
            // A user's retry overrides the link monitor, whose reports are hints and never block users.
            send(.force)
            return reply(
                try await retry(ids, isEach: selection.isEach, startsEarly: selection.isChosen))
        case .remove(let selection): return reply(try await transact(.remove(try core.ids(selection))))
        case .move(let selection, let move):
            let ids = try core.ids(selection)
            var result = try await transact(.move(ids, move))
            // The move may change the ranks of other uploads too. Replies name only the uploads that the user moved.
            if case .setRanks(let ranks, _)? = result.undo { result.undo = .setRanks(ranks, moved: Set(ids)) }
            return reply(result, about: ids.filter(Set(result.ids).contains))
        case .limits: return .limits(core.limits.current)
        case .limitBandwidth(let bandwidth, let scope):
            guard bandwidth?.rate.map({ $0 > 0 }) ?? true else {
                throw UploadFailure(.permanent, "a limit is a number of bytes per second above 0")
            }
            return reply(try await transact(.limitBandwidth(bandwidth, scope)))
        case .limitConcurrency(let count):
            guard (1...256).contains(count) else {
                throw UploadFailure(.permanent, "from 1 to 256 uploads can run at once")
            }
            return reply(try await transact(.limitConcurrency(count)))
        case .undo: return try await goBack(.undo, number)
        case .undoCommand(let offered):
            try check(offered, .undo)
            return try await goBack(.undo, number)
        case .nextUndo: return .undoable(try offer(.undo))
        case .redo: return try await goBack(.redo, number)
        case .redoCommand(let offered):
            try check(offered, .redo)
            return try await goBack(.redo, number)
        case .nextRedo: return .undoable(try offer(.redo))
        case .tryNow:
            send(.tryNow)
            return .changed([])
        case .stopWhenIdle:
            send(.finish)
            return .changed([])
        case .flush:
            do throws(JournalError) { try await journal.flush() } catch { throw error.failure }
            return .changed([])
        }
    }

    /// Returns the reply to a command that changed the queue. If the result contains an undo action, adds this action
    /// to the undo stack.
    ///
    /// - Parameter ids: The uploads that the reply names. If nil, the reply names all uploads in `result`.
    private func reply(_ result: TransactionResult, about ids: [Upload.ID]? = nil) -> QueueReply {
        if let undo = result.undo { send(.commanded(undo)) }
        return .changed(ids ?? result.ids)
    }

    private func add(_ new: [NewUpload], _ rule: Transaction.AddRule) async throws(UploadFailure)
        -> QueueReply
    {
        let result = try await addFollowingBatches(new, rule)
        let reply = reply(result)
        return result.isPaused ? .addedPaused(result.ids) : reply
    }

    /// Adds uploads. A user may pause or resume a batch while its new uploads are being written to disk. The new
    /// uploads are then paused or resumed too.
    func addFollowingBatches(
        _ new: [NewUpload], _ rule: Transaction.AddRule
    ) async throws(UploadFailure) -> TransactionResult {
        let result = try await transact(.add(new, rule))
        // If the disk refuses the change, the uploads stay in the state that the reply states.
        for change in core.batchChanges(of: result.ids) { _ = try? await transact(change) }
        return result
    }

    /// Retries uploads. If an upload failed or is held because its file changed or could not be read, this function
    /// first looks up the file's current version. The upload then sends that version. If the lookup fails, the upload
    /// keeps its version.
    ///
    /// - Parameters:
    ///   - isEach: Whether the user named each upload. It decides what happens if the path of a file now contains a
    ///     symbolic link that was not there when the file was queued. If `isEach` is true, the function throws the
    ///     error. If it is false, the function leaves out the upload.
    ///   - startsEarly: Whether an upload with a start condition (a time, or other uploads that must be done first)
    ///     starts now.
    private func retry(
        _ ids: [Upload.ID], isEach: Bool, startsEarly: Bool
    ) async throws(UploadFailure) -> TransactionResult {
        var identities: [Upload.ID: FileIdentity] = [:]
        var refused: Set<Upload.ID> = []
        for (id, found) in await looks(at: ids.compactMap { core.uploads[$0] }.filter(\.needsNewIdentity)) {
            switch found {
            case .success(let identity): identities[id] = identity
            case .failure(let failure) where failure.category == .sourceChanged:
                // A component of the path is now a symbolic link. Ferry follows it only after the user has seen its
                // target.
                if isEach { throw failure }
                refused.insert(id)
            // The upload is retried nevertheless, and fails with its current error.
            case .failure: break
            }
        }
        let change = UploadChange.retry(identities: identities, startsEarly: startsEarly)
        return try await transact(.change(ids.filter { !refused.contains($0) }, change))
    }

    /// Looks up the current version of each upload's file. The result is sorted by id. Looks up 16 files at the same
    /// time, because each lookup can block on a slow volume.
    private func looks(at uploads: [Upload]) async -> [(Upload.ID, Result<FileIdentity, UploadFailure>)] {
        await withTaskGroup(of: (Upload.ID, Result<FileIdentity, UploadFailure>).self) { group in
            var left = uploads[...]
            func addNext() {
                guard let upload = left.popFirst() else { return }
                group.addTask(executorPreference: environment.executor) { [look = environment.look] in
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

    /// Undoes the last command, or redoes the command that was undone last. Skips each command whose undo or redo would
    /// change nothing, for example because its uploads were removed later. But `undo` throws instead if the command was
    /// a retry, or an addition that has only done uploads left.
    ///
    /// - Parameter number: The number of this `undo` or `redo`, from `CommandOrder.begin`.
    /// - Throws: `UploadFailure` if the command cannot be undone, if no command is left to undo or redo, or if the disk
    ///   refuses the change.
    private func goBack(
        _ direction: UndoStack.Direction, _ number: Int?
    ) async throws(UploadFailure) -> QueueReply {
        while let entry = core.undo.next(direction) {
            // The released commands continue only after the transaction below has begun, because this actor is busy
            // until then.
            if let number { order.chose(number) }
            let (transaction, change) = (entry.action.transaction(in: core), entry.action.kind(in: core))
            let result: TransactionResult
            do throws(UploadFailure) { result = try await transact(transaction) } catch {
                core.undo.failed(direction, entry)
                throw error
            }
            guard let action = entry.action.opposite(result.undo), !action.isEmpty else {
                if let refusal = change.refusal { throw refusal }
                continue
            }
            core.undo.went(direction, entry, action: action)
            return .reversed(change, action.ids)
        }
        throw .nothing(to: direction)
    }

    /// Checks that the next command to undo or redo is the one that the user has agreed to.
    ///
    /// - Parameter offered: The number of the command that the user has agreed to (`UndoOffer.number`).
    private func check(_ offered: Int, _ direction: UndoStack.Direction) throws(UploadFailure) {
        guard core.undo.offer(direction, in: core)?.number != offered else { return }
        let (done, position) = direction == .undo ? ("undone", "last") : ("redone", "next")
        throw UploadFailure(
            .permanent, "nothing was \(done): another change came first",
            hint: "\(direction.rawValue) again shows what is the \(position) now")
    }

    private func offer(_ direction: UndoStack.Direction) throws(UploadFailure) -> UndoOffer {
        guard let offer = core.undo.offer(direction, in: core) else { throw .nothing(to: direction) }
        return offer
    }
}

extension QueueCommand {
    /// The kind of this command, which decides whether the command waits for earlier commands. Nil for a command that
    /// waits for no other command and delays none.
    fileprivate var kind: CommandOrder.Kind? {
        switch self {
        case .undo, .undoCommand, .redo, .redoCommand: .choice
        case .add, .addMissing, .addNew, .pause, .resume, .retry, .remove, .move, .limitBandwidth,
            .limitConcurrency:
            .change
        case .find, .list, .limits, .nextUndo, .nextRedo, .tryNow, .stopWhenIdle, .flush: nil
        }
    }
}

extension UploadSelection {
    var batches: Set<String> {
        if case .batch(let name) = self { [name] } else { [] }
    }
}

extension UploadFailure {
    private static let batchesNamed = 10
    private static let uploadsNamed = 5

    fileprivate static func nothing(to direction: UndoStack.Direction) -> UploadFailure {
        UploadFailure(.permanent, "nothing to \(direction.rawValue)")
    }

    /// Returns the failure of a command that names uploads which are not in the queue.
    ///
    /// - Parameter missing: The numbers, or ranges of numbers, of the missing uploads. The message contains only the
    ///   first few.
    package static func unknownUploads(_ missing: [String]) -> UploadFailure {
        let names = missing.prefix(uploadsNamed).joined(separator: ", ")
        return UploadFailure(
            .permanent, "there is no upload \(names)\(missing.count > uploadsNamed ? ", …" : "")",
            hint: "the list of uploads shows their numbers")
    }

    /// Returns the failure of a command that names an unknown batch.
    ///
    /// - Parameter known: The names of the existing batches, some of which the hint lists.
    package static func unknownBatch(_ name: String, known: Set<String>) -> UploadFailure {
        let names = known.sorted()
        let rest = names.count > batchesNamed ? ", and \(names.count - batchesNamed) more" : ""
        return UploadFailure(
            .permanent, "there is no batch '\(name)'",
            hint: names.isEmpty
                ? "a batch begins when the first upload is added to it"
                : "there are \(names.prefix(batchesNamed).joined(separator: ", "))\(rest)")
    }
}
