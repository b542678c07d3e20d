/// The time without an acknowledged byte after which a connection with bytes to send is closed.
///
/// The kernel retransmits unacknowledged bytes after waits that double (RFC 6298 §5.5), so after an outage it can need
/// as long again to notice that the link is back. If many bytes would have to be sent again, the limit is twice the
/// time from the start of the exchange to the last acknowledged byte. It is then five stall times to 15 minutes.
struct StallLimit {
    /// The number of acknowledged bytes below which sending the body again is cheaper than waiting.
    private static let cheapBytes: UInt64 = 256 << 10
    /// The minimum limit in stall times, if many bytes would have to be sent again. After an outage of two stall times,
    /// the kernel's next retry can be as late as four after the last acknowledged byte.
    private static let fade = 5
    /// The longest limit: the kernel itself gives up after about this time (tcp(7), `tcp_retries2`).
    private static let longest = Duration.seconds(900)

    private let stall: Duration
    private let breakCostsLittle: Bool
    /// The time for which the network was away, until the connection makes progress.
    private var outage = Duration.zero

    init(stall: Duration, breakCostsLittle: Bool) {
        self.stall = stall
        self.breakCostsLittle = breakCostsLittle
    }

    mutating func moved() { outage = .zero }

    /// Records that the network is back after `outage`, which lengthens the limit.
    mutating func linkReturned(after outage: Duration) { self.outage += outage }

    /// Returns the limit for the current state of the connection.
    /// - Parameters:
    ///   - acknowledged: The number of acknowledged bytes of this exchange.
    ///   - time: The time from the exchange's start to the last acknowledged byte.
    func limit(_ progress: TCPInfo, acknowledged: UInt64, movingFor time: Duration) -> Duration {
        let limit = stall + min(outage, TCPInfo.longestBackoff)
        // A peer that acknowledges the kernel's probes and accepts no bytes is a hanging server, not a bad link.
        guard !breakCostsLittle, progress.unanswered > 0, acknowledged >= Self.cheapBytes else {
            return limit
        }
        return max(limit, min(Self.longest, max(stall * Self.fade, time * 2)))
    }
}
