import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOPosix
import NIOSSL

/// Enforces the limits of one connection: its place in `ClientTable`, its buffer sizes, and the time that the client
/// takes to send an expected request or to read a response.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private enum State {
        case idle
        /// `waiting` is the number of requests whose responses are not completely sent; 0 before the next head.
        /// `isReceiving` is true while the content of a request is being received.
        case serving(waiting: Int, isReceiving: Bool)
        case refused
    }

    /// The maximum number of requests that wait for their responses: one read of 512 KiB can contain 17,000 requests.
    private static let mostRequests = 32

    private let responder: Responder
    private var state = State.idle
    /// The time at which the connection is closed; nil while nothing is expected from the client.
    private var deadline: NIODeadline?
    private var timer: (time: NIODeadline, task: Scheduled<Void>)?

    init(_ responder: Responder) { self.responder = responder }

    func handlerAdded(context: ChannelHandlerContext) {
        let isRateLimited = responder.configuration.bytesPerSecond != nil
        let largest = isRateLimited ? 32 << 10 : 512 << 10
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 32 << 10, maximum: largest)
        context.channel.setOption(ChannelOptions.recvAllocator, value: allocator).whenFailure { _ in }
        if isRateLimited {
            // A larger kernel buffer would let the client report progress that the receiver has not made.
            context.channel.setOption(ChannelOptions.socketOption(.so_rcvbuf), value: 64 << 10)
                .whenFailure { _ in }
        }
        if context.channel.isActive { begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        begin(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .serving(let waiting, _) = state else { return }
        switch unwrapInboundIn(data) {
        case .head:
            guard waiting < Self.mostRequests else {
                state = .refused
                return context.close(promise: nil)
            }
            responder.clients.ask(ObjectIdentifier(context.channel))
            state = .serving(waiting: waiting + 1, isReceiving: true)
            renewDeadline(context)
        // After the response, the rest of the content does not extend the time until the next head.
        case .body: if waiting > 0 { renewDeadline(context) }
        case .end:
            state = .serving(waiting: waiting, isReceiving: false)
            if waiting > 0 { renewDeadline(context) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), case .serving(let waiting, let isReceiving) = state {
            state = .serving(waiting: max(0, waiting - 1), isReceiving: isReceiving)
            if waiting <= 1 { renewDeadline(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        renewDeadline(context)
        context.fireChannelWritabilityChanged()
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.task.cancel() }

    private func begin(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        let (client, clients) = (ClientAddress(context.remoteAddress), responder.clients)
        let (id, loop) = (ObjectIdentifier(context.channel), context.eventLoop)
        let held = NIOLoopBound((self, context), eventLoop: loop)
        let isCounted = clients.enter(id, of: client) {
            loop.execute {
                let (connection, context) = held.value
                connection.closeForNewer(client, context)
            }
        }
        guard isCounted else { return refuse(client, context) }
        context.channel.closeFuture.whenComplete { _ in clients.leave(id) }
        state = .serving(waiting: 0, isReceiving: false)
        expect(within: responder.configuration.limits.headerTime, context)
    }

    /// Gives the client `idleTime` to send or read more. Removes the deadline while it waits for a response.
    private func renewDeadline(_ context: ChannelHandlerContext) {
        guard case .serving(let waiting, let isReceiving) = state else { return }
        if waiting > 0, !isReceiving, context.channel.isWritable {
            deadline = nil
        } else {
            expect(within: responder.configuration.limits.idleTime, context)
        }
    }

    private func expect(within time: Duration, _ context: ChannelHandlerContext) {
        let end = NIODeadline.now() + TimeAmount(time)
        deadline = end
        // A timer that fires early sets itself again, so not every chunk of content needs a new one.
        if let timer, timer.time <= end { return }
        timer?.task.cancel()
        setTimer(end, context)
    }

    private func setTimer(_ time: NIODeadline, _ context: ChannelHandlerContext) {
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [self] in
            timer = nil
            guard let deadline else { return }
            if deadline <= .now() { context.close(promise: nil) } else { setTimer(deadline, context) }
        }
        timer = (time, task)
    }

    /// Reports an event for the refused connection, and ignores all data that arrives on the connection later.
    private func markRefused(_ client: ClientAddress, because reason: String) {
        state = .refused
        responder.metrics.note(
            .refused(
                status: HTTPResponse.Status.serviceUnavailable.code, reason: reason, request: "",
                client: client.text))
    }

    private func closeForNewer(_ client: ClientAddress, _ context: ChannelHandlerContext) {
        markRefused(
            client,
            because:
                "Too many connections are open, and \(client.text) made no authorized request on this one.")
        // The shutdown of TLS would wait for the client, so only the TCP connection is closed.
        let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        (tls ?? context).close(promise: nil)
    }

    private func refuse(_ client: ClientAddress, _ context: ChannelHandlerContext) {
        markRefused(client, because: "\(client.text) has too many connections open.")
        // A response over TLS needs a handshake, and the refused connection would stay open until the handshake ends.
        guard responder.configuration.tls == nil else { return context.close(promise: nil) }
        let fields: HTTPFields = [.contentLength: "0", .retryAfter: "1", .connection: "close"]
        let head = HTTPResponse(status: .serviceUnavailable, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }
}
