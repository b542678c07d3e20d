import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// A connection that was accepted, until somebody serves it.
///
/// NIO ends the process when an asynchronous channel is let go without having been closed (`NIOAsyncWriter`), and a
/// server that is stopped lets go of what it has accepted and not yet begun to serve. Here it is closed instead.
final class AcceptedConnection: ServerChildChannelValue {
    typealias Connection = HTTP1Channel.Value

    let channel: any Channel
    private let connection: Mutex<Connection?>

    init(_ connection: Connection) {
        channel = connection.channel
        self.connection = Mutex(connection)
    }

    deinit {
        guard let left = take() else { return }
        Task { try? await left.executeThenClose { _, _ in } }
    }

    /// - Returns: nil if it was taken before.
    func take() -> Connection? { connection.withLock { $0.take() } }
}

/// HTTP/1.1 connections that may be let go at any time.
struct ConnectionServing: ServerChildChannel {
    let http: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        http.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        guard let connection = value.take() else { return }
        await http.handle(value: connection, logger: logger)
    }
}
