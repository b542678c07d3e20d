import NIOCore
import Synchronization
import UploadProtocols

#if os(Linux)
    import Glibc
#endif

/// Watches one connection from next to the socket: while there are bytes to send and none of them moves for the stall
/// time, the connection is broken. The kernel alone would take about 15 minutes to say so.
///
/// "Moves" means what the other side acknowledged, not what a write call took: a slow link with a large piece on its way
/// is never cut.
final class ConnectionGuard: ChannelOutboundHandler, ChannelInboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData
    typealias InboundIn = ByteBuffer

    private let stall: TimeAmount
    private var pendingWrites = 0
    private var completedWrites: UInt64 = 0
    private var timer: Scheduled<Void>?
    private var lastSeen: (completed: UInt64, acknowledged: UInt64) = (0, 0)
    private var lastMoved = NIODeadline.now()

    init(stall: Duration) { self.stall = TimeAmount(stall) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        pendingWrites += 1
        if timer == nil {
            lastMoved = .now()
            watch(context)
        }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in
            bound.value.pendingWrites -= 1
            bound.value.completedWrites += 1
        }
        context.write(data, promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    private func watch(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: .nanoseconds(stall.nanoseconds / 4)) {
            let (guardian, context) = bound.value
            guardian.timer = nil
            guard guardian.pendingWrites > 0, context.channel.isActive else { return }
            ConnectionGuard.acknowledgedBytes(context.channel).whenSuccess { acknowledged in
                let (guardian, context) = bound.value
                let seen = (completed: guardian.completedWrites, acknowledged: acknowledged)
                guard guardian.pendingWrites > 0, context.channel.isActive else { return }
                if seen != guardian.lastSeen {
                    guardian.lastSeen = seen
                    guardian.lastMoved = .now()
                } else if NIODeadline.now() - guardian.lastMoved >= guardian.stall {
                    context.fireErrorCaught(ConnectionStalled())
                    return context.close(promise: nil)
                }
                guardian.watch(context)
            }
        }
    }

    #if os(Linux)
        /// The leading part of the kernel's `struct tcp_info` (linux/tcp.h); the C library's own stops before the counter.
        private struct TCPInfo {
            var states: UInt64 = 0
            var words: (
                UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
                UInt64
            ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            var bytesAcknowledged: UInt64 = 0
        }

        private static func acknowledgedBytes(_ channel: any Channel) -> EventLoopFuture<UInt64> {
            guard let provider = channel as? any SocketOptionProvider else {
                return channel.eventLoop.makeSucceededFuture(0)
            }
            let info: EventLoopFuture<TCPInfo> = provider.unsafeGetSocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_INFO))
            return info.map { $0.bytesAcknowledged }.flatMapErrorThrowing { _ in 0 }
        }
    #else
        private static func acknowledgedBytes(_ channel: any Channel) -> EventLoopFuture<UInt64> {
            channel.eventLoop.makeSucceededFuture(0)
        }
    #endif
}

/// No byte moved for the stall time.
struct ConnectionStalled: Error {}
