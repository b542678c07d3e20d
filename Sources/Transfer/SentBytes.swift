package import FerryProtocols
import Synchronization

/// The bytes of a file that an attempt and those before it have sent: how far the file is out, and how much went out.
package struct SentTotals {
    private var confirmed: ByteCount
    private var underWay: [Int: ByteCount] = [:]
    /// Bytes sent by exchanges that have ended, counted from what the server held when the attempt began.
    private var ended: ByteCount

    package init(confirmed: ByteCount) { (self.confirmed, ended) = (confirmed, confirmed) }

    /// The number of bytes that are confirmed or under way.
    package var reached: ByteCount { underWay.values.reduce(confirmed, +) }

    /// The number of bytes that went out. It is more than `reached` by what broke off and went out again; what the
    /// server confirmed and forgot is not in it, the queue counts that.
    package var out: ByteCount { underWay.values.reduce(ended, +) }

    /// `bytes` of the file went out with exchange number `exchange`, also again from its beginning.
    package mutating func record(_ bytes: ByteCount, of exchange: Int) { underWay[exchange] = bytes }

    /// The exchange has ended; the server's word takes the place of what it sent.
    package mutating func end(_ exchange: Int, confirmed now: ByteCount) {
        ended += underWay.removeValue(forKey: exchange) ?? 0
        ended = max(now, ended - max(0, confirmed - now))
        confirmed = now
    }
}

/// The totals of an attempt whose exchanges go on side by side.
final class SentBytes: Sendable {
    private let totals: Mutex<SentTotals>

    init(confirmed: ByteCount) { totals = Mutex(SentTotals(confirmed: confirmed)) }

    var out: ByteCount { totals.withLock { $0.out } }

    /// - Returns: How far the file is out.
    func record(_ bytes: ByteCount, of exchange: Int) -> ByteCount {
        totals.withLock {
            $0.record(bytes, of: exchange)
            return $0.reached
        }
    }

    func end(_ exchange: Int, confirmed: ByteCount) {
        totals.withLock { $0.end(exchange, confirmed: confirmed) }
    }
}
