import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/1.1 server on one port, which passes each request to a `Responder`.
struct HTTPServer: Sendable {
    let tls: NIOSSLContext?
    let responder: Responder

    private var configuration: ReceiverConfiguration { responder.configuration }

    /// Serves until the task is cancelled and every request that was in progress has ended.
    /// - Parameter onStart: Called with the port once connections are accepted.
    func run(onStart: @Sendable (Int) -> Void) async throws {
        let (maximum, clients) = (configuration.limits.connections, responder.clients)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 256)
            .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionLimit(maximum, clients))
                }
            }
            .childChannelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
            .bind(host: configuration.host, port: configuration.port) { channel in
                channel.eventLoop.makeCompletedFuture { try accept(channel) }
            }
        try await withThrowingDiscardingTaskGroup { connections in
            try await listener.executeThenClose { accepted in
                onStart(listener.channel.localAddress?.port ?? 0)
                for try await connection in accepted {
                    connections.addTask { await serve(connection) }
                }
            }
        }
    }

    private func accept(_ channel: any Channel) throws -> AcceptedConnection {
        let pipeline = channel.pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 80 << 10
        limits.maxHeaderListSize = 80 << 10
        limits.maxHeaderFieldCount = 1000
        // Pipelining assistance is off because `respond` takes requests one by one. Error handling is off because
        // `serve` responds to parser errors. Header validation is off because the codec checks response fields.
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        // The check comes first, because the codec drops the HTTP version and all of the target except its path.
        try pipeline.addHandler(FramingCheck())
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: tls != nil))
        try pipeline.addHandler(ConnectionGuard(responder))
        return AcceptedConnection(
            try NIOAsyncChannel(
                wrappingChannelSynchronously: channel,
                configuration: .init(isOutboundHalfClosureEnabled: true)))
    }

    private func serve(_ accepted: AcceptedConnection) async {
        guard let connection = accepted.take() else { return }
        let channel = connection.channel
        await withTaskCancellationHandler {
            // An error here means that the connection is lost. The client got no response, and repeats its request.
            try? await connection.executeThenClose { parts, output in
                do {
                    try await respond(parts.makeAsyncIterator(), output, channel)
                } catch is HTTPParserError {
                    let fields: HTTPFields = [.connection: "close", .contentLength: "0"]
                    let head = HTTPResponse(status: .badRequest, headerFields: fields)
                    try await output.write(contentsOf: [.head(head), .end(nil)])
                }
                output.finish()
                try await channel.closeFuture.get()
            }
        } onCancel: {
            channel.close(mode: .input, promise: nil)
        }
    }

    private func respond(
        _ requests: Exchange.Parts, _ output: Exchange.Output, _ channel: any Channel
    ) async throws {
        let limits = configuration.limits
        let slowest = BodyRate(leastPerSecond: limits.leastBytesPerSecond, over: limits.slowTime)
        var parts = requests
        while let part = try await parts.next() {
            // Skips the rest of the previous request's content.
            guard case .head(let head) = part else { continue }
            try await responder.respond(Exchange(head, parts, output, channel, rate: slowest))
            // RFC 9110 §7.6.1: the client sends no other request on the connection.
            let options = FieldList.words(head.headerFields[.connection])
            if options.contains(where: { $0.lowercased() == "close" }) { return }
        }
    }
}

/// Holds an accepted connection until a task serves it; closes it if no task takes it.
///
/// NIO ends the process if an asynchronous channel is released without being closed (`NIOAsyncWriter`). A listener that
/// stops releases the accepted connections that no task has taken yet.
private final class AcceptedConnection: Sendable {
    typealias Connection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    private let connection: Mutex<Connection?>

    init(_ connection: Connection) { self.connection = Mutex(connection) }

    deinit {
        guard let left = take() else { return }
        Task { try? await left.executeThenClose { _, _ in } }
    }

    func take() -> Connection? { connection.withLock { $0.take() } }
}

/// Accepts connections up to a maximum, and more if `ClientTable` can close others. The rest waits in the kernel.
private final class ConnectionLimit: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never

    /// The number of descriptors for all but connections and files. Some libraries end the process if none is free.
    private static let ownDescriptors = 36

    private let maximum: Int
    /// The number of connections above the maximum: one that is closed for a new one stays open for a moment.
    private let margin: Int
    private let clients: ClientTable
    private var open = 0
    private var isReadHeldBack = false

    /// - Parameter maximum: It is lowered if the process has too few descriptors for a connection and a file each.
    init(_ maximum: Int, _ clients: ClientTable) {
        let room = max(0, Int(clamping: DescriptorLimit.current ?? .max) - Self.ownDescriptors)
        margin = min(16, room / 4)
        self.maximum = max(1, min(maximum, (room - margin) / 2))
        self.clients = clients
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        open += 1
        let held = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
            let (limit, context) = held.value
            limit.open -= 1
            limit.resume(context)
        }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        if mayAccept(context) { context.read() } else { isReadHeldBack = true }
    }

    private func mayAccept(_ context: ChannelHandlerContext) -> Bool {
        if open < maximum { return true }
        guard open < maximum + margin else { return false }
        let loop = context.eventLoop
        let held = NIOLoopBound((self, context), eventLoop: loop)
        return clients.hasClosable {
            loop.execute {
                let (limit, context) = held.value
                limit.resume(context)
            }
        }
    }

    private func resume(_ context: ChannelHandlerContext) {
        guard isReadHeldBack, mayAccept(context) else { return }
        isReadHeldBack = false
        context.read()
    }
}
