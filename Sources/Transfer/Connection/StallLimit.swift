/// The time without movement after which a sending connection is given up. Pure.
///
/// The kernel sends what nobody acknowledged again after waits that double (RFC 6298 §5.5), so after an outage it may need
/// as long again to notice that the link is back. A connection whose break costs much is given up only when that time
/// is over, and the cost is weighed: it may stand still for twice the time that went into what would be lost.
struct StallLimit {
    /// A body of which less was acknowledged is sent again rather than waited for.
    private static let cheapBytes: UInt64 = 256 << 10
    /// A fade of twice the stall time needs up to four times of it until the kernel tries again.
    private static let fade = 5
    /// The kernel itself gives up after about as long (tcp(7), `tcp_retries2`).
    private static let longest = Duration.seconds(900)

    private let stall: Duration
    private let breakCostsLittle: Bool
    /// The time for which the network was away, if nothing has moved since.
    private var outage = Duration.zero

    /// - Parameter stall: As configured, for a connection whose break costs little.
    init(stall: Duration, breakCostsLittle: Bool) {
        self.stall = stall
        self.breakCostsLittle = breakCostsLittle
    }

    mutating func moved() { outage = .zero }

    /// The network is back after so long; the time without movement counts from now.
    mutating func linkReturned(after outage: Duration) { self.outage += outage }

    /// - Parameters:
    ///   - acknowledged: Bytes of this exchange.
    ///   - time: From the exchange's start to the last movement.
    func limit(_ progress: TCPInfo, acknowledged: UInt64, movingFor time: Duration) -> Duration {
        let limit = stall + min(outage, TCPInfo.longestBackoff)
        // Who answers the kernel's questions and takes nothing is a server that hangs: no link comes back there.
        guard !breakCostsLittle, progress.unanswered > 0, acknowledged >= Self.cheapBytes else {
            return limit
        }
        return max(limit, min(Self.longest, max(stall * Self.fade, time * 2)))
    }
}
