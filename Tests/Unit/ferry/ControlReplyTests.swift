import FerryFiles
import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the replies that an engine sends to commands.
@Suite(.timeLimit(.minutes(10)))
struct ControlReplyTests {
    private let folder: TemporaryDirectory
    private var state: LocalPath { LocalPath(folder.path) }

    init() throws { folder = try TemporaryDirectory() }

    /// Performs a command at an engine that responds with this content.
    private func reply(_ content: ControlSocket.Response.Content) throws -> QueueReply? {
        let listener = try SocketListener(ControlSocket.path(in: state))
        defer { listener.stop() }
        Thread.detachNewThread {
            guard let socket = listener.next(timeout: 50) else { return }
            var lines = IncomingLines(socket)
            _ = lines.next()
            _ = socket.write(line: ControlSocket.Response(content: content))
        }
        guard case .reply(let reply) = ControlClient(folder: state).perform(.undo) else { return nil }
        return reply
    }

    @Test(
        arguments: [
            .changed(Array(1...5000)), .addedPaused(Array(1...5000)),
            .reversed(.paused, [7] + Array(9...5000)),
            .changed([3, 1]), .changed([]),
            .changed(Array(stride(from: 1, through: 9999, by: 2))),
        ] as [QueueReply])
    func `a reply arrives with all its ids, however many they are`(sent: QueueReply) throws {
        #expect(try reply(.init(sent)) == sent)
    }

    @Test func `a reply about a million uploads in a row is short`() throws {
        let content = ControlSocket.Response.Content(.changed(Array(1...1_000_000)))
        #expect(try JSONEncoder().encode(content).count < 200)
    }

    @Test func `a reply about more ids than memory can hold is not taken`() throws {
        #expect(try reply(.replyAbout(.changed([]), UploadNumbers([1...Int.max]))) == nil)
    }
}
