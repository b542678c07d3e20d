import NIOCore
import NIOPosix

/// Sets one connection up for large bodies, and closes it if its first request does not come in time.
final class ConnectionSetup: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Never

    private enum State {
        case idle
        case waiting(Scheduled<Void>)
        case requested
    }

    private var state = State.idle
    private let headerTime: TimeAmount
    private let isRateLimited: Bool

    init(headerTime: Duration, isRateLimited: Bool) {
        self.headerTime = TimeAmount(headerTime)
        self.isRateLimited = isRateLimited
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let largest = isRateLimited ? 32 << 10 : 512 << 10
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 32 << 10, maximum: largest)
        context.channel.setOption(ChannelOptions.recvAllocator, value: allocator).whenFailure { _ in }
        if isRateLimited {
            // What the kernel takes in ahead of us would show as progress that has not been made.
            context.channel.setOption(ChannelOptions.socketOption(.so_rcvbuf), value: 64 << 10)
                .whenFailure { _ in }
        }
        if context.channel.isActive { waitForRequest(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        waitForRequest(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .waiting(let deadline) = state {
            deadline.cancel()
            state = .requested
        }
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .waiting(let deadline) = state { deadline.cancel() }
        state = .requested
        context.fireChannelInactive()
    }

    private func waitForRequest(_ context: ChannelHandlerContext) {
        guard case .idle = state else { return }
        let channel = context.channel
        state = .waiting(
            context.eventLoop.scheduleTask(in: headerTime) { channel.close(mode: .all, promise: nil) })
    }
}
