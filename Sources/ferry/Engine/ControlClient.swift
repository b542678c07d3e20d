import Foundation
import Transfer
import UploadProtocols
import Uploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Hands a command to the ferry that has the queue.
struct ControlClient {
    private static let timeout = 30

    let folder: LocalPath

    /// Whether an engine listens there.
    var isAnswered: Bool {
        let descriptor = ControlSocket.open()
        defer { close(descriptor) }
        let path = ControlSocket.path(in: folder)
        return ControlSocket.withAddress(path) { connect(descriptor, $0, $1) } == 0
    }

    /// - Returns: nil if nobody answers.
    func perform(_ command: QueueCommand) -> QueueReply? {
        let descriptor = ControlSocket.open()
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var limit = timeval(tv_sec: Self.timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let path = ControlSocket.path(in: folder)
        guard ControlSocket.withAddress(path, { connect(descriptor, $0, $1) }) == 0,
            ControlSocket.peer(of: descriptor) == getuid(),
            ControlSocket.writeLine(
                ControlSocket.Request(version: ControlSocket.version, command: command), to: descriptor),
            let line = ControlSocket.readLine(descriptor),
            let response = try? JSONDecoder().decode(ControlSocket.Response.self, from: line)
        else { return nil }
        return response.reply
    }
}

/// Carries out one command on a queue, whoever has it: the running ferry if there is one, else this process for as long
/// as the command takes.
struct QueueAccess {
    let assembly: Assembly
    let state: LocalPath

    /// Another command holds the queue for a moment; longer than this, and it is no command.
    private static let patience = Duration.seconds(3)

    /// - Throws: `CommandFailure` if the queue refuses, cannot be opened, or is in use by something that does not answer.
    func perform(_ command: QueueCommand) async throws(CommandFailure) -> QueueReply {
        let deadline = ContinuousClock.now.advanced(by: Self.patience)
        while true {
            let reply: QueueReply
            do throws(JournalError) {
                reply = try await performHere(command)
            } catch {
                guard case .inUse = error else { throw CommandFailure(error) }
                if let answer = ControlClient(folder: state).perform(command) {
                    return try Self.accepted(answer)
                }
                guard ContinuousClock.now < deadline else {
                    throw CommandFailure(
                        status: CommandFailure.queueInUse, summary: error.summary + " and does not answer",
                        hint: error.hint)
                }
                try? await Task.sleep(for: .milliseconds(50))
                continue
            }
            return try Self.accepted(reply)
        }
    }

    private static func accepted(_ reply: QueueReply) throws(CommandFailure) -> QueueReply {
        if case .refused(let failure) = reply { throw CommandFailure(refused: failure) }
        return reply
    }

    private func performHere(_ command: QueueCommand) async throws(JournalError) -> QueueReply {
        let lock = try StateDirectory(at: state).lock()
        let (queue, runner) = assembly.queue(journal: FileJournal(lock), monitors: [])
        let notices = try await queue.open()
        for notice in notices { StandardError.write("note: \(notice.summary)\n") }
        let reply = await queue.perform(command)
        await queue.stop()
        await runner.shutdown()
        return reply
    }
}
