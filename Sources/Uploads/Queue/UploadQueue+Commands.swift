package import FerryProtocols
import FerryTransfer

/// Carries out the commands of users. Most of them are transactions, which the journal writes as one record.
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

    /// - Parameter number: The number from `CommandOrder.begin`; nil for a command that waits for no other.
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
            let ids = try core.ids(selection) { $0.state.pausedByUser != nil }
            return reply(try await transact(.change(ids, .pause, pausing: selection.batches)))
        case .resume(let selection):
            // `resume --all` also resumes batches, so that uploads added later start.
            let batches = selection == .all ? core.settings.pausedBatches : selection.batches
            let ids = try core.ids(selection) { $0.state.resumedByUser != nil }
            return reply(try await transact(.change(ids, .resume, resuming: batches)))
        case .retry(let selection):
            let startsEarly = selection.isChosen
            let ids = try core.ids(selection) { $0.isRetried(startsEarly: startsEarly) }
            // A user's retry overrides the link monitor, whose reports are hints and never block users.
            send(.force)
            return reply(try await retry(ids, isEach: selection.isEach, startsEarly: startsEarly))
        case .remove(let selection): return reply(try await transact(.remove(try core.ids(selection))))
        case .move(let selection, let move):
            let ids = try core.ids(selection)
            var result = try await transact(.move(ids, move))
            // Replies name only the uploads that the user moved, and not those that got another rank.
            if case .setRanks(let ranks, _)? = result.undo { result.undo = .setRanks(ranks, moved: Set(ids)) }
            return reply(result, about: ids.filter(Set(result.ids).contains))
        case .limits: return .limits(core.limits.current)
        case .limitBandwidth(let bandwidth, let scope):
            guard bandwidth?.rate.map({ $0 > 0 }) ?? true else {
                throw UploadFailure(.permanent, "a limit is a number of bytes per second above 0")
            }
            return reply(try await transact(.limitBandwidth(bandwidth, scope)))
        case .limitConcurrency(let count):
            guard QueueSettings.slotCounts.contains(count) else {
                let most = QueueSettings.slotCounts.upperBound
                throw UploadFailure(.permanent, "from 1 to \(most) uploads can run at once")
            }
            return reply(try await transact(.limitConcurrency(count)))
        case .undo: return try await goBack(.undo, number)
        case .undoCommand(let offered): return try await goBack(.undo, number, only: offered)
        case .nextUndo: return .undoable(try offer(.undo))
        case .redo: return try await goBack(.redo, number)
        case .redoCommand(let offered): return try await goBack(.redo, number, only: offered)
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

    /// Returns the reply to a command, which can be undone now. Without `ids`, it names those in `result`.
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

    /// Adds uploads, and pauses or resumes those whose batch a user paused or resumed during the write.
    func addFollowingBatches(
        _ new: [NewUpload], _ rule: Transaction.AddRule
    ) async throws(UploadFailure) -> TransactionResult {
        let result = try await transact(.add(new, rule))
        // If the disk refuses the change, the uploads stay in the state that the reply states.
        for change in core.batchChanges(of: result.ids) { _ = try? await transact(change) }
        return result
    }

    /// Retries uploads, with the current versions of those files that had changed or could not be read. If a path has a
    /// new symbolic link, throws if the user named `isEach` upload, and otherwise leaves out the upload.
    private func retry(
        _ ids: [Upload.ID], isEach: Bool, startsEarly: Bool
    ) async throws(UploadFailure) -> TransactionResult {
        var identities: [Upload.ID: FileIdentity] = [:]
        var refused: Set<Upload.ID> = []
        for (id, found) in await looks(at: ids.compactMap { core.uploads[$0] }.filter(\.needsNewIdentity)) {
            switch found {
            case .success(let identity): identities[id] = identity
            case .failure(let failure) where failure.category == .sourceChanged:
                // Ferry follows a new symbolic link only after the user has seen its target.
                if isEach { throw failure }
                refused.insert(id)
            // The upload is retried nevertheless, and fails with its current error.
            case .failure: break
            }
        }
        let change = UploadChange.retry(identities: identities, startsEarly: startsEarly)
        return try await transact(.change(ids.filter { !refused.contains($0) }, change))
    }

    /// Looks up the version of each upload's file, 16 at once, as a volume can be slow. The result is sorted by id.
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

    /// Undoes the last command, or redoes the one undone last. Skips commands whose reversal would change nothing.
    ///
    /// - Throws: `UploadFailure` if the command cannot be undone, is not the `offered` one to which the user has
    ///   agreed, or is missing, or if the disk refuses the change.
    private func goBack(
        _ direction: UndoStack.Direction, _ number: Int?, only offered: Int? = nil
    ) async throws(UploadFailure) -> QueueReply {
        if let offered, core.undo.offer(direction, in: core)?.number != offered {
            let (done, position) = direction == .undo ? ("undone", "last") : ("redone", "next")
            throw UploadFailure(
                .permanent, "nothing was \(done): another change came first",
                hint: "\(direction.rawValue) again shows what is the \(position) now")
        }
        while let entry = core.undo.next(direction) {
            // The released commands continue after the transaction has begun, as this actor is busy until then.
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

    private func offer(_ direction: UndoStack.Direction) throws(UploadFailure) -> UndoOffer {
        guard let offer = core.undo.offer(direction, in: core) else { throw .nothing(to: direction) }
        return offer
    }
}

extension QueueCommand {
    /// The kind of this command; nil for a command that waits for no other command and delays none.
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

    /// Returns the failure of a command that names missing uploads, by their numbers or ranges of numbers.
    package static func unknownUploads(_ missing: [String]) -> UploadFailure {
        let names = missing.prefix(uploadsNamed).joined(separator: ", ")
        return UploadFailure(
            .permanent, "there is no upload \(names)\(missing.count > uploadsNamed ? ", …" : "")",
            hint: "the list of uploads shows their numbers")
    }

    /// Returns the failure of a command that names an unknown batch. `known` are the names of the existing ones.
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
