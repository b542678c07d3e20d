import FerryFiles
import NIOCore
import Synchronization

/// The open channels of a proxy: for each connection, one to the client and one to the target.
final class ProxyLinks: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    func add(_ channel: any Channel) {
        let key = ObjectIdentifier(channel)
        channels.withLock { $0[key] = channel }
        channel.closeFuture.whenComplete { [weak self] _ in
            _ = self?.channels.withLock { $0.removeValue(forKey: key) }
        }
    }

    func cut() {
        for channel in channels.withLock({ Array($0.values) }) {
            guard let socket = channel as? any SocketOptionProvider else { continue }
            socket.setSoLinger(SocketReset.option).whenComplete { _ in
                channel.close(promise: nil)
            }
        }
    }
}

/// One end of a forwarded connection. It writes received bytes to the other end, as fast as that end takes them.
final class ProxyEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private weak var other: ProxyEnd?

    static func pair() -> (ProxyEnd, ProxyEnd) {
        let pair = (ProxyEnd(), ProxyEnd())
        pair.0.other = pair.1
        pair.1.other = pair.0
        return pair
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// Starts reading at both ends. The channel of the client becomes active only after both ends have their handlers.
    func channelActive(context: ChannelHandlerContext) {
        context.read()
        other?.context?.read()
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other?.context?.write(wrapOutboundOut(unwrapInboundIn(data)), promise: nil)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let other = other?.context else { return close(context) }
        other.flush()
        if other.channel.isWritable { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { other?.context?.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            other?.context?.close(mode: .output, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if let other = other?.context { close(other) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(context) }

    /// Closes the channel in the next turn of the event loop. If a handler closes it while NIO reports the end of its
    /// input, a debug build of NIO traps (`BaseSocketChannel.unregisterForReadable`, swift-nio 2.101.2).
    private func close(_ context: ChannelHandlerContext) {
        let channel = context.channel
        context.eventLoop.execute { channel.close(promise: nil) }
    }
}
