import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

/// Carries out one command on a queue, whoever has it: the running ferry if there is one, else this process for as long
/// as the command takes.
struct QueueAccess {
    /// Without one only the running ferry can carry out anything.
    let assembly: Result<Assembly, CommandFailure>
    let state: LocalPath

    /// Another command holds the queue for a moment; longer than this, and it is no command.
    private static let patience = Duration.seconds(5)
    /// Many commands may come before this one.
    private static let longestWait = Duration.seconds(60)

    /// - Throws: `CommandFailure` if the queue refuses, cannot be opened, or is in use by something that does not answer.
    func perform(_ command: QueueCommand) async throws(CommandFailure) -> QueueReply {
        let assembly: Assembly
        do throws(CommandFailure) { assembly = try self.assembly.get() } catch {
            return try performThere(command, orElse: error)
        }
        let limit = ContinuousClock.now.advanced(by: Self.longestWait)
        var (holder, since) = (Int32?.none, ContinuousClock.now)
        while true {
            let reply: QueueReply
            do throws(JournalError) {
                reply = try await performHere(command, by: assembly)
            } catch {
                if case .newerFormat = error, command == .list { return .uploads(try readNewer(error)) }
                guard case .inUse(let pid, _, _) = error else { throw CommandFailure(error) }
                // Whoever takes turns with others is a command, and will be done.
                if pid != holder { (holder, since) = (pid, .now) }
                switch ControlClient(folder: state).perform(command) {
                case .reply(let reply):
                    if assembly.edited != .refuse {
                        StandardError.write("note: an edit is looked at when no ferry is running\n")
                    }
                    return try Self.accepted(reply)
                case .unknown: try Self.checkRepeatable(command)
                case .nobody: break
                }
                guard .now < limit, .now < since.advanced(by: Self.patience) else {
                    throw CommandFailure(
                        status: CommandFailure.queueInUse, summary: error.summary + " and does not answer",
                        hint: error.hint)
                }
                try? await Task.sleep(for: .milliseconds(Int.random(in: 20...80)))
                continue
            }
            return try Self.accepted(reply)
        }
    }

    /// What is true of the ferry that has the queue; nil if none does.
    var engineStatus: EngineStatus? {
        guard case .answered(.report(let report)) = ControlClient(folder: state).ask(.report) else {
            return nil
        }
        return report.status
    }

    /// How far some uploads are that were just listed, by the ferry that has the queue if one does.
    func sent(of uploads: [Upload]) -> SampledProgress {
        guard uploads.contains(where: { if case .running = $0.state { true } else { false } }),
            case .answered(.progress(let samples)) = ControlClient(folder: state).ask(.progress)
        else { return SampledProgress() }
        return SampledProgress(samples)
    }

    /// What a ferry that ended may have carried out is not asked of the next one if that would do it twice.
    private static func checkRepeatable(_ command: QueueCommand) throws(CommandFailure) {
        switch command {
        case .add, .move, .retry, .remove, .undo, .undoCommand, .redo:
            throw CommandFailure(
                status: CommandFailure.queueInUse,
                summary: "the running ferry did not answer: it is not known whether it did this",
                hint: "`ferry list` shows it")
        case .list, .addMissing, .addNew, .find, .nextUndo, .pause, .resume, .limits, .limitBandwidth,
            .limitConcurrency, .tryNow,
            .stopWhenIdle, .flush:
            break
        }
    }

    /// What this version understands of a queue that it must not touch.
    private func readNewer(_ error: JournalError) throws(CommandFailure) -> [Upload] {
        do throws(JournalError) {
            guard let directory = try StateDirectory(reading: state) else { throw error }
            let reading = try StateInspection(directory).read()
            StandardError.write("warning: \(SafeLine.text(error.summary)); this is what can be read of it\n")
            if reading.notUnderstood > 0 {
                StandardError.write("warning: \(reading.notUnderstood) records are not understood\n")
            }
            return reading.recovered.uploads.sorted { $0.rank < $1.rank }
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func accepted(_ reply: QueueReply) throws(CommandFailure) -> QueueReply {
        if case .refused(let failure) = reply { throw CommandFailure(refused: failure) }
        return reply
    }

    private static func nothing(_ what: String) -> UploadFailure {
        UploadFailure(
            .permanent, "there is nothing \(what): no ferry runs",
            hint: "orders can be taken back as long as the ferry that took them runs")
    }

    /// - Parameter flaw: Why nobody else can carry it out.
    private func performThere(
        _ command: QueueCommand, orElse flaw: CommandFailure
    ) throws(CommandFailure) -> QueueReply {
        switch ControlClient(folder: state).perform(command) {
        case .reply(let reply): return try Self.accepted(reply)
        case .unknown: try Self.checkRepeatable(command)
        case .nobody: break
        }
        throw flaw
    }

    private func performHere(
        _ command: QueueCommand, by assembly: Assembly
    ) async throws(JournalError) -> QueueReply {
        let lock = try StateDirectory(at: state).lock()
        switch command {
        // Whoever remembers what was ordered is gone.
        case .undo, .undoCommand, .nextUndo: return .refused(Self.nothing("to undo"))
        case .redo: return .refused(Self.nothing("to do again"))
        default: break
        }
        let (queue, runner) = assembly.queue(lock, monitors: [])
        let notices = try await queue.open()
        for notice in notices { StandardError.write("note: \(SafeLine.text(notice.summary))\n") }
        let reply = await queue.perform(command)
        await queue.stop()
        await runner.shutdown()
        return reply
    }
}
