import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1
import NIOSSL
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
    /// nil for plain HTTP.
    let tls: NIOSSLContext?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedConnection> {
        let tls = tls
        return http.setup(channel: channel, logger: logger).map { AcceptedConnection($0) }
            .flatMapThrowing { connection in
                let pipeline = channel.pipeline.syncOperations
                if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls), position: .first) }
                // Before the codec, which leaves out the version and all of the target but its path.
                let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
                try pipeline.addHandler(FramingCheck(), position: .before(codec))
                return connection
            }
    }

    func handle(value: AcceptedConnection, logger: Logger) async {
        guard let connection = value.take() else { return }
        await http.handle(value: connection, logger: logger)
    }
}
