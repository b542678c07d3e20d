import FerryConnectivity
import NIOCore

struct TCPInfo: Hashable, Sendable {
    /// The number of bytes that the other side has acknowledged since the connection was made. Linux counts the SYN as
    /// one of them (tcp_snd_una_update in net/ipv4/tcp_input.c); it is left out.
    var acknowledgedBytes: UInt64 = 0
    var hasBytesInFlight = false
    /// The number of consecutive retransmissions or probes without an acknowledgment.
    var unanswered = 0
    /// The smoothed round-trip time (RFC 6298 §2); zero before the first measurement.
    var roundTrip = Duration.zero
    var isEstablished = true
    /// The number of bytes that left this machine, without retransmissions. Nil before the first byte, and before Linux
    /// 4.19.
    var sentBytes: UInt64?
    var unsentBytes: UInt64 = 0
    /// The number of consecutive unanswered probes, on an idle connection (keepalive) or for a closed receive window.
    /// It is never greater than `unanswered`.
    var probes = 0

    /// Reads the state from the kernel. Without Linux or TCP, no bytes are in flight.
    static func read(_ channel: any Channel) -> EventLoopFuture<TCPInfo> {
        #if os(Linux)
            guard let provider = channel as? any SocketOptionProvider else {
                return channel.eventLoop.makeSucceededFuture(TCPInfo())
            }
            let info: EventLoopFuture<KernelTCPInfo> = provider.unsafeGetSocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: TCPOptions.info))
            return info.map { info in
                TCPInfo(
                    acknowledgedBytes: info.bytesAcknowledged - min(1, info.bytesAcknowledged),
                    hasBytesInFlight: info.unacknowledgedSegments > 0 || info.bytesNotSent > 0,
                    unanswered: Int(max(info.retransmissions, info.probes)),
                    // tcpi_rtt: the upper half of the fifth word, in microseconds.
                    roundTrip: .microseconds(Int64(info.words.4 >> 32)),
                    isEstablished: info.state == 1,  // TCP_ESTABLISHED
                    sentBytes: info.bytesSent > 0
                        ? info.bytesSent - min(info.bytesSent, info.bytesRetransmitted) : nil,
                    unsentBytes: UInt64(info.bytesNotSent), probes: Int(info.probes))
            }.flatMapErrorThrowing { _ in TCPInfo() }
        #else
            channel.eventLoop.makeSucceededFuture(TCPInfo())
        #endif
    }

    /// Linux's longest pause between two retransmissions (`TCP_RTO_MAX`, include/net/tcp.h).
    static let longestBackoff = Duration.seconds(120)

    /// The maximum time between two retransmissions to set in the kernel; nil for no change.
    ///
    /// The time is short while the peer is silent, because the link can return at any moment, but at least two round
    /// trips.
    ///
    /// If the receive window is closed, Linux closes the connection after 15 unanswered probes, even before the user
    /// timeout (tcp_probe_timer in net/ipv4/tcp_timer.c). So the first probes are frequent, for an outage of up to a
    /// minute, and after nine the time is long, to cover some more minutes.
    var wantedBackoff: Duration? {
        switch (unanswered, probes) {
        case (0, _), (_, 9...): Self.longestBackoff
        case (3..., 1...): max(.seconds(10), roundTrip * 2)
        case (3..., _): max(.seconds(2), roundTrip * 2)
        default: nil
        }
    }

    /// Limits the time between two retransmissions (Linux 6.15). Without this, the kernel possibly waits one more
    /// minute after an outage of one minute.
    ///
    /// More frequent retransmissions would exhaust the kernel's number of retries too early. So the total time of the
    /// retries (`TCP_USER_TIMEOUT`) becomes 15 minutes, as with Linux's defaults.
    static func boundBackoff(of channel: any Channel, to longest: Duration) {
        #if os(Linux)
            let milliseconds = CInt(min(longest, longestBackoff) / .milliseconds(1))
            channel.setOption(TCPOptions.longestBackoff, milliseconds)?.whenSuccess {
                channel.setOption(TCPOptions.userTimeout, CInt(924_600))
            }
        #endif
    }

    /// Limits the number of unsent bytes in the kernel's buffer (tcp(7), TCP_NOTSENT_LOWAT); nil for no limit.
    static func limitUnsent(of channel: any Channel, to limit: Int?) {
        #if os(Linux)
            channel.setOption(TCPOptions.unsentLimit, limit.map { CInt(clamping: $0) } ?? -1)
        #endif
    }

    /// Enables keepalive probes. A server that still computes its response acknowledges them; the kernel closes a dead
    /// connection after about four minutes.
    static func keepAsking(_ channel: any Channel) {
        #if os(Linux)
            for (isOfTCP, name, value) in TCPOptions.keepAlive {
                channel.setOption(name, of: isOfTCP ? .tcp : .socket, value)
            }
        #endif
    }
}

#if os(Linux)
    extension Channel {
        /// Sets an option of the socket. A failure has no effect: a Unix socket, for example, has no options of TCP.
        @discardableResult
        func setOption<Value: Sendable>(
            _ name: CInt, of level: NIOBSDSocket.OptionLevel = .tcp, _ value: Value
        ) -> EventLoopFuture<Void>? {
            (self as? any SocketOptionProvider)?.unsafeSetSocketOption(
                level: level, name: NIOBSDSocket.Option(rawValue: name), value: value)
        }
    }

    /// The beginning of `struct tcp_info` (linux/tcp.h). The C library's version ends before `bytesAcknowledged`.
    private struct KernelTCPInfo {
        var state: UInt8 = 0
        var congestionState: UInt8 = 0
        var retransmissions: UInt8 = 0
        var probes: UInt8 = 0
        var options: UInt32 = 0
        var timeouts: UInt64 = 0
        var segmentSizes: UInt64 = 0
        var unacknowledgedSegments: UInt32 = 0
        var selectivelyAcknowledgedSegments: UInt32 = 0
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
            (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        var bytesAcknowledged: UInt64 = 0
        var bytesReceived: UInt64 = 0
        var segments: UInt64 = 0
        var bytesNotSent: UInt32 = 0
        var shortestRoundTrip: UInt32 = 0
        var dataSegments: UInt64 = 0
        var deliveryRate: UInt64 = 0
        var times: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var delivered: UInt64 = 0
        var bytesSent: UInt64 = 0
        var bytesRetransmitted: UInt64 = 0
    }
#endif
