import Synchronization
import Testing
import Transfer
import UploadProtocols
import Uploads

@testable import TUI

@Suite struct ServantTests {
    /// Answers every command and remembers it.
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

    private static let service = AddService(
        preview: { _ in FileSelection() },
        list: { _ in BrowsedFolder(path: LocalPath("/out"), text: "/out/", contents: .entries([])) },
        add: { _, _ in .changed([]) }, complete: { [$0 + "/"] })

    @Test func `commands are carried out in the order they were typed, also those typed before leaving`()
        async
    {
        let client = Recorder()
        let mailbox = Mailbox(wake: {})
        let (orders, continuation) = AsyncStream.makeStream(of: Order.self)
        let commands = (1...200).map { QueueCommand.limitConcurrency($0) }
        for (index, command) in commands.enumerated() {
            continuation.yield(.perform(command, .limitConcurrency(index)))
        }
        continuation.finish()
        await Servant(client: client, add: Self.service, mailbox: mailbox).run(orders)
        #expect(client.commands.withLock { $0 } == commands)
        let replies = mailbox.drain().messages.filter { message in
            if case .replied = message { return true }
            return false
        }
        #expect(replies.count == commands.count)
    }
}
