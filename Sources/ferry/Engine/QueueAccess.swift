import FerryProtocols
import FerryTUI
import FerryUploads

/// Carries out commands on a queue: through the running engine if there is one, otherwise in this process.
struct QueueAccess {
    /// The assembly, which makes a queue; the error of the configuration if only a running engine can carry out
    /// commands.
    let assembly: Result<Assembly, CommandFailure>
    let state: LocalPath

    /// The time for which `perform` waits while one process owns the queue and does not respond.
    private static let timeout = Duration.seconds(5)
    /// The maximum time that `perform` waits while other commands lock the queue, one after another.
    private static let longestWait = Duration.seconds(60)

    /// Carries out a command and returns the queue's reply, which is never a refusal.
    func perform(_ command: QueueCommand) async throws(CommandFailure) -> QueueReply {
        try await perform(command) { client, _ in
            client.perform(command)
        } here: { reply in
            reply
        }
    }

    /// Returns the uploads that match `filter`.
    func list(_ filter: UploadFilter) async throws(CommandFailure) -> UploadListing {
        try await perform(.list) { client, samples in
            client.list(filter, samples: samples)
        } here: { reply in
            guard case .uploads(let uploads) = reply else { return UploadListing([]) }
            return UploadListing(uploads.filter(filter.chooses))
        }
    }

    /// Carries out a command: by `there` if an engine runs, otherwise in this process, whose reply `here` converts.
    private func perform<Value>(
        _ command: QueueCommand,
        there: (ControlClient, [ProgressSample]) -> ControlClient.CommandResult<Value>,
        here: (QueueReply) -> Value
    ) async throws(CommandFailure) -> Value {
        let waiting = WaitLine.start("waiting for the queue")
        defer { waiting?.end() }
        let assembly: Assembly
        do throws(CommandFailure) { assembly = try self.assembly.get() } catch {
            guard let value = try performThere(command, by: there) else { throw error }
            return value
        }
        let limit = ContinuousClock.now.advanced(by: Self.longestWait)
        var (holder, since) = (Int32?.none, ContinuousClock.now)
        while true {
            let reply: QueueReply
            do throws(JournalError) { reply = try await performHere(command, by: assembly) } catch {
                if case .newerFormat = error, command == .list { return here(.uploads(try readNewer(error))) }
                guard case .inUse(let pid, _, _) = error else { throw CommandFailure(error) }
                // A new holder of the lock restarts the timeout. If holders change, they are commands, which end soon.
                if pid != holder { (holder, since) = (pid, .now) }
                if let value = try performThere(command, by: there) {
                    assembly.noteUnusedEdit()
                    return value
                }
                guard .now < limit, .now < since.advanced(by: Self.timeout) else {
                    throw CommandFailure(inUse: error.summary + " and does not answer", hint: error.hint)
                }
                try? await Task.sleep(for: .milliseconds(Int.random(in: 20...80)))
                continue
            }
            if case .refused(let failure) = reply { throw CommandFailure(refused: failure) }
            return here(reply)
        }
    }

    /// Returns sentences that explain why a command left selected uploads unchanged; none if the queue cannot be read.
    func explanation(
        of command: NoOpExplanation.Command, _ selection: UploadSelection, changed: [Upload.ID]
    ) async -> [String] {
        let question = ControlSocket.Request.Ask.explain(command, selection, changed: changed)
        if case .responded(.explained(let sentences)) = ControlClient(folder: state).ask(question) {
            return sentences
        }
        guard case .uploads(let uploads)? = try? await perform(.list) else { return [] }
        let unchanged = selection.unchanged(among: uploads, but: changed)
        return NoOpExplanation(command, unchanged, spelled: { "`ferry \($0)`" }).sentences
    }

    var engineReport: EngineReport? {
        if case .responded(.report(let report)) = ControlClient(folder: state).ask(.report) {
            report
        } else {
            nil
        }
    }

    /// Throws if the command, which was possibly carried out already, can do harm when it is repeated.
    private static func checkRepeatable(_ command: QueueCommand) throws(CommandFailure) {
        switch command {
        case .add, .move, .retry, .remove, .undo, .undoCommand, .redo, .redoCommand:
            throw CommandFailure(
                inUse: "the running engine did not answer: unknown whether this succeeded",
                hint: "check `ferry list`")
        case .list, .addMissing, .addNew, .find, .nextUndo, .nextRedo, .pause, .resume, .limits,
            .limitBandwidth, .limitConcurrency, .tryNow, .stopWhenIdle, .flush:
            break
        }
    }

    /// Returns the uploads in a queue of a newer version of Ferry, as far as this version understands them. Prints
    /// `error`.
    private func readNewer(_ error: JournalError) throws(CommandFailure) -> [Upload] {
        do throws(JournalError) {
            guard let directory = try StateDirectory(reading: state) else { throw error }
            let reading = try StateInspection(directory).read()
            StandardError.warn("\(error.summary); this is what can be read of it")
            if reading.notUnderstood > 0 {
                StandardError.warn("\(reading.notUnderstood) records are not understood")
            }
            return reading.recovered.uploads.sorted { $0.rank < $1.rank }
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func nothing(_ what: String) -> UploadFailure {
        UploadFailure(
            .permanent, "nothing \(what): no engine is running",
            hint:
                "an engine remembers its own changes; `ferry list` shows what was added, `ferry remove` takes it out"
        )
    }

    /// Sends a command to the running engine. Returns nil if none runs, or if it did not respond to a harmless command.
    private func performThere<Value>(
        _ command: QueueCommand,
        by there: (ControlClient, [ProgressSample]) -> ControlClient.CommandResult<Value>
    ) throws(CommandFailure) -> Value? {
        let client = ControlClient(folder: state)
        let samples = try client.checkPulse()
        switch there(client, samples) {
        case .reply(let value): return value
        case .refused(let failure): throw CommandFailure(refused: failure)
        case .unknown: try Self.checkRepeatable(command)
        case .noEngine: break
        }
        return nil
    }

    private func performHere(
        _ command: QueueCommand, by assembly: Assembly
    ) async throws(JournalError) -> QueueReply {
        let lock = try StateDirectory(at: state).lock()
        switch command {
        // The undo stack was in the memory of an engine, which has ended.
        case .undo, .undoCommand, .nextUndo: return .refused(Self.nothing("to undo"))
        case .redo, .redoCommand, .nextRedo: return .refused(Self.nothing("to redo"))
        default: break
        }
        let (queue, runner) = assembly.queue(lock, monitors: [], snapshotsAtEnds: false)
        let notices = try await queue.open()
        for notice in notices { StandardError.note(notice.summary) }
        let reply = await queue.perform(command)
        await queue.stop()
        await runner.shutdown()
        return reply
    }
}

extension UploadHistory {
    /// Returns the entries of the history in a state folder, the newest first; none if the folder is missing.
    static func read(
        inFolder folder: LocalPath, limit: Int = .max, since: Date? = nil
    ) throws(JournalError) -> [HistoryEntry] {
        guard let directory = try StateDirectory(reading: folder) else { return [] }
        return try read(in: directory, limit: limit, since: since)
    }
}
