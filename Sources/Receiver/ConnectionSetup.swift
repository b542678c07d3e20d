import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOPosix

/// Sets one connection up for large bodies, counts it for its client, and closes it if the head of a request does not
/// come in time.
final class ConnectionSetup: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The limits that apply to every connection.
    struct Rules: Sendable {
        let headerTime: TimeAmount
        let idleTime: TimeAmount
        let isRateLimited: Bool
        let isSecure: Bool
        let clients: ClientTable
        let ledger: Ledger
    }

    private enum State {
        case idle
        /// The connection waits for the head of a request; the timer closes it.
        case waiting(Scheduled<Void>)
        /// The number of requests whose responses are not completely sent.
        case answering(Int)
        case refused
    }

    private var state = State.idle
    private let rules: Rules

    init(_ rules: Rules) { self.rules = rules }

    func handlerAdded(context: ChannelHandlerContext) {
        let largest = rules.isRateLimited ? 32 << 10 : 512 << 10
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 32 << 10, maximum: largest)
        context.channel.setOption(ChannelOptions.recvAllocator, value: allocator).whenFailure { _ in }
        if rules.isRateLimited {
            // What the kernel takes in ahead of us would show as progress that has not been made.
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
        if case .refused = state { return }
        if case .head = unwrapInboundIn(data) {
            switch state {
            case .waiting(let deadline):
                deadline.cancel()
                state = .answering(1)
            case .answering(let count): state = .answering(count + 1)
            case .idle, .refused: break
            }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data), case .answering(let count) = state {
            if count > 1 { state = .answering(count - 1) } else { waitForHead(context, rules.idleTime) }
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waiting(let deadline) = state { deadline.cancel() }
        context.fireChannelInactive()
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        let (client, clients) = (ClientAddress(context.remoteAddress), rules.clients)
        guard clients.enter(client) else { return refuse(client, context) }
        context.channel.closeFuture.whenComplete { _ in clients.leave(client) }
        waitForHead(context, rules.headerTime)
    }

    private func waitForHead(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        let channel = context.channel
        state = .waiting(
            context.eventLoop.scheduleTask(in: time) { channel.close(mode: .all, promise: nil) })
    }

    private func refuse(_ client: ClientAddress, _ context: ChannelHandlerContext) {
        state = .refused
        let status = HTTPResponse.Status.serviceUnavailable
        rules.ledger.note(
            .refused(
                status: status.code, reason: "\(client.text) has too many connections open.", request: ""))
        // TLS would have to be agreed on first, and for so long the connection would count.
        guard !rules.isSecure else { return context.close(promise: nil) }
        let fields: HTTPFields = [.contentLength: "0", .retryAfter: "1", .connection: "close"]
        let head = HTTPResponse(status: status, headerFields: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }
}
