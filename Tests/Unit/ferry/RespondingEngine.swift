import FerryFiles
import FerryProtocols
import FerryTestSupport
import Foundation

@testable import FerryCommand

/// An engine that responds to one request.
enum RespondingEngine {
    /// Passes a client of the engine to `ask`. The engine sends `content`, and then `rest`.
    static func ask<Answer>(
        _ content: ControlSocket.Response.Content, rest: [UInt8] = [], _ ask: (ControlClient) -> Answer
    ) throws -> Answer {
        let folder = try TemporaryDirectory()
        let state = LocalPath(folder.path)
        let listener = try SocketListener(ControlSocket.path(in: state))
        defer { listener.stop() }
        Thread.detachNewThread {
            guard let socket = listener.next(timeout: 50) else { return }
            var lines = IncomingLines(socket)
            _ = lines.next()
            _ = socket.write(line: ControlSocket.Response(content: content))
            _ = socket.write(rest)
        }
        return ask(ControlClient(folder: state))
    }
}
