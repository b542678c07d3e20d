import NIOCore

#if os(Linux)
    import Glibc
#endif

/// How far the bytes that the kernel took have got.
struct SocketProgress: Hashable, Sendable {
    /// Bytes that the other side has acknowledged since the connection was made.
    var acknowledgedBytes: UInt64 = 0
    /// True while the kernel holds bytes that are not acknowledged.
    var hasBytesOnTheWay = false
    /// How often in a row the kernel sent something that wants an answer, and none came: bytes once more, or a question
    /// whether anybody is there.
    var unanswered = 0
    /// Smoothed (RFC 6298 §2); zero before the first was measured.
    var roundTrip = Duration.zero

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
                    hasBytesOnTheWay: info.unacknowledgedSegments > 0 || info.bytesNotSent > 0,
                    unanswered: Int(max(info.retransmissions, info.probes)),
                    // The upper half of the fifth pair, in microseconds.
                    roundTrip: .microseconds(Int64(info.words.4 >> 32)))
            }.flatMapErrorThrowing { _ in SocketProgress() }
        #else
            channel.eventLoop.makeSucceededFuture(SocketProgress())
        #endif
    }

    /// Linux's longest pause between two tries (`TCP_RTO_MAX`, include/net/tcp.h).
    static let longestBackoff = Duration.seconds(120)
    /// How often the kernel should try again on a link that is silent: soon, and no sooner than an answer can come.
    var hastyBackoff: Duration { max(.seconds(2), roundTrip * 2) }

    /// Lets the kernel send again at least this often what nobody acknowledged, where it can (Linux 6.15): after a fade
    /// of a minute it would else wait for up to another minute before it notices that the link is back. The number of
    /// its tries is then no measure of time any more, so the time is set: that of Linux by default.
    static func boundBackoff(of channel: any Channel, to longest: Duration) {
        #if os(Linux)
            guard let provider = channel as? any SocketOptionProvider else { return }
            // include/uapi/linux/tcp.h; newer than the C library's list.
            let option = NIOBSDSocket.Option(rawValue: 44)
            let milliseconds = CInt(min(longest, longestBackoff) / .milliseconds(1))
            provider.unsafeSetSocketOption(level: .tcp, name: option, value: milliseconds).flatMap {
                provider.unsafeSetSocketOption(
                    level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT), value: CInt(924_600))
            }.whenFailure { _ in }
        #endif
    }

    /// Lets the kernel ask whether anybody is there while nothing is on the way: a server that computes its answer says
    /// so, a connection that is dead does not. The kernel itself gives up after about four minutes.
    static func keepAsking(_ channel: any Channel) {
        #if os(Linux)
            guard let provider = channel as? any SocketOptionProvider else { return }
            let options: [(NIOBSDSocket.OptionLevel, CInt, CInt)] = [
                (.socket, SO_KEEPALIVE, 1), (.tcp, TCP_KEEPIDLE, 2), (.tcp, TCP_KEEPINTVL, 2),
                (.tcp, TCP_KEEPCNT, 120),
            ]
            for (level, name, value) in options {
                // A Unix socket knows none of it.
                provider.unsafeSetSocketOption(
                    level: level, name: NIOBSDSocket.Option(rawValue: name), value: value
                ).whenFailure { _ in }
            }
        #endif
    }
}

#if os(Linux)
    /// The leading part of the kernel's `struct tcp_info` (linux/tcp.h); the C library's own ends before the counters.
    private struct TCPInfo {
        var state: UInt8 = 0
        var congestionState: UInt8 = 0
        var retransmissions: UInt8 = 0
        var probes: UInt8 = 0
        var options: UInt32 = 0
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
