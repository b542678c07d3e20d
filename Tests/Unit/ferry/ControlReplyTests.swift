import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the replies that an engine sends to commands.
@Suite(.timeLimit(.minutes(10)))
struct ControlReplyTests {
    /// Performs a command at an engine that responds with this content.
    private func result(
        _ content: ControlSocket.Response.Content
    ) throws -> ControlClient.CommandResult<QueueReply> {
        try RespondingEngine.ask(content) { $0.perform(.undo) }
    }

    @Test(
        arguments: [
            .changed(Array(1...5000)), .addedPaused(Array(1...5000)),
            .reversed(.paused, [7] + Array(9...5000)),
            .changed([3, 1]), .changed([]),
            .undoable(UndoOffer(number: 1, change: .paused, ids: Array(1...5000), date: .distantPast)),
            .changed(Array(stride(from: 1, through: 9999, by: 2))),
        ] as [QueueReply])
    func `a reply arrives with all its ids, however many they are`(sent: QueueReply) throws {
        guard case .reply(let reply) = try result(.init(sent)) else { return #expect(Bool(false)) }
        #expect(reply == sent)
    }

    @Test func `a reply about a million uploads in a row is short`() throws {
        let content = ControlSocket.Response.Content(.changed(Array(1...1_000_000)))
        #expect(try JSONEncoder().encode(content).count < 200)
    }

    @Test(arguments: [(2, true), (Int.max, false)])
    func `a reply about more ids than memory can hold is not taken`(last: Int, isTaken: Bool) throws {
        switch try result(.replyAbout(.changed([]), UploadNumbers([1...last]))) {
        case .reply(let reply): #expect(isTaken && reply == .changed([1, 2]))
        case .unknown: #expect(!isTaken)
        case .refused, .noEngine: #expect(Bool(false))
        }
    }
}
