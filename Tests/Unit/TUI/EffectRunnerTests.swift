import FerryProtocols
import FerryTransfer
import FerryUploads
import Synchronization
import Testing

@testable import FerryTUI

@Suite struct EffectRunnerTests {
    /// A queue that replies to every command and records it.
    private final class Recorder: QueueClient {
        let commands = Mutex<[QueueCommand]>([])

        func perform(_ command: QueueCommand) async -> QueueReply {
            await Task.yield()
            commands.withLock { $0.append(command) }
            return .changed([])
        }

        func updates() async -> AsyncStream<QueueUpdate> {
            AsyncStream { continuation in
                continuation.yield(
                    QueueUpdate(isComplete: true, changed: [.make(1)], removed: [], status: EngineStatus()))
            }
        }

        func progress() -> [ProgressSample] { [] }
    }

    private struct Service: AddService {
        /// Ends when the folder of a typed line responds.
        var gate: AsyncStream<Void>?

        func preview(_ request: AddRequest) async -> FileSelection { FileSelection() }

        func past(_ selection: FileSelection) async -> [Upload] { [] }

        func list(_ folder: FolderReference) async -> BrowsedFolder {
            if case .line = folder, let gate { for await _ in gate {} }
            return BrowsedFolder(path: LocalPath("/out"), text: "/out/", contents: .entries([]))
        }

        func add(_ selection: FileSelection, to destination: String) async -> QueueReply { .changed([]) }

        func completions(of line: String) async -> [String] { [line + "/"] }

        func destinations() async -> DestinationNames { DestinationNames(["box"]) }
    }

    @Test func `a folder that does not respond delays no other`() async {
        let (gate, answer) = AsyncStream.makeStream(of: Void.self)
        let (mail, arrived) = AsyncStream.makeStream(of: Void.self)
        let mailbox = Mailbox { arrived.yield() }
        let (effects, continuation) = AsyncStream.makeStream(of: Effect.self)
        continuation.yield(.list(.line("/share"), number: 1))
        continuation.yield(.list(.folder(LocalPath("/fast")), number: 2))
        let runner = EffectRunner(client: Recorder(), add: Service(gate: gate), mailbox: mailbox)
        let work = Task { await runner.run(effects) }
        var listed: [Int] = []
        for await _ in mail {
            for case .listed(_, let number) in mailbox.drain().messages { listed.append(number) }
            if !listed.isEmpty { break }
        }
        #expect(listed == [2])
        answer.finish()
        continuation.finish()
        await work.value
    }

    @Test func `commands are carried out in the order they were typed, also those typed before leaving`()
        async
    {
        let client = Recorder()
        let mailbox = Mailbox(wake: {})
        let (effects, continuation) = AsyncStream.makeStream(of: Effect.self)
        let commands = (1...200).map { QueueCommand.limitConcurrency($0) }
        for (index, command) in commands.enumerated() {
            continuation.yield(.perform(command, .limitConcurrency(index)))
        }
        continuation.finish()
        await EffectRunner(client: client, add: Service(), mailbox: mailbox).run(effects)
        #expect(client.commands.withLock { $0 } == commands)
        let replies = mailbox.drain().messages.filter { message in
            if case .replied = message { return true }
            return false
        }
        #expect(replies.count == commands.count)
    }
}
