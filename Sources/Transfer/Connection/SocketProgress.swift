import NIOCore

#if os(Linux)
    import Glibc
#endif

/// How far the bytes that the kernel took have got.
struct SocketProgress {
    /// Bytes that the other side has acknowledged since the connection was made.
    var acknowledgedBytes: UInt64 = 0
    /// True while the kernel holds bytes that are not acknowledged.
    var hasBytesOnTheWay = false

    /// Asks the kernel. Where it cannot tell, nothing is on the way.
    static func read(_ channel: any Channel) -> EventLoopFuture<SocketProgress> {
        #if os(Linux)
            guard let provider = channel as? any SocketOptionProvider else {
                return channel.eventLoop.makeSucceededFuture(SocketProgress())
            }
            let info: EventLoopFuture<TCPInfo> = provider.unsafeGetSocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_INFO))
            return info.map { info in
                SocketProgress(
                    acknowledgedBytes: info.bytesAcknowledged,
                    hasBytesOnTheWay: info.unacknowledgedSegments > 0 || info.bytesNotSent > 0)
            }.flatMapErrorThrowing { _ in SocketProgress() }
        #else
            channel.eventLoop.makeSucceededFuture(SocketProgress())
        #endif
    }
}

#if os(Linux)
    /// The leading part of the kernel's `struct tcp_info` (linux/tcp.h); the C library's own ends before the counters.
    private struct TCPInfo {
        var states: UInt64 = 0
        var timeouts: UInt64 = 0
        var segmentSizes: UInt64 = 0
        var unacknowledgedSegments: UInt32 = 0
        var selectivelyAcknowledgedSegments: UInt32 = 0
        var words:
            (
                UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64
            ) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var bytesAcknowledged: UInt64 = 0
        var bytesReceived: UInt64 = 0
        var segments: UInt64 = 0
        var bytesNotSent: UInt32 = 0
    }
#endif
