package import FerryProtocols
import Synchronization

/// Counts the bytes of a file that the server has confirmed, and the bytes that an attempt has sent.
package struct SentTotals {
    private var confirmed: ByteCount
    /// The number of the file's bytes that each running exchange has sent; from 0 again if it sends its body again.
    private var underWay: [Int: ByteCount] = [:]
    /// The value of `out` without the bytes in `underWay`.
    private var ended: ByteCount

    package init(confirmed: ByteCount) { (self.confirmed, ended) = (confirmed, confirmed) }

    /// The number of bytes that the server has confirmed, plus the bytes that the running exchanges have sent.
    package var reached: ByteCount { underWay.values.reduce(confirmed, +) }

    /// The number of bytes that were confirmed when the attempt began, plus all bytes that the attempt has sent since.
    /// Bytes that are sent twice count twice.
    ///
    /// Confirmed bytes that the server loses are subtracted, because the queue counts them in `Upload.Tries.resent`.
    /// The value is never less than the number of confirmed bytes.
    package var out: ByteCount { underWay.values.reduce(ended, +) }

    /// Records how many `bytes` of the file an exchange has sent so far. `begins` is true for the first bytes of a
    /// body: those of an earlier body of the exchange then stay in the total `out`.
    package mutating func record(_ bytes: ByteCount, of exchange: Int, begins: Bool = false) {
        let before = underWay.updateValue(bytes, forKey: exchange) ?? 0
        if begins { ended += before }
    }

    /// Records the end of an exchange. `now` is the number of bytes that the server has confirmed.
    package mutating func end(_ exchange: Int, confirmed now: ByteCount) {
        ended += underWay.removeValue(forKey: exchange) ?? 0
        ended = max(now, ended - max(0, confirmed - now))
        confirmed = now
    }

    /// Records that the server has deleted the confirmed bytes at the attempt's request.
    package mutating func deleteConfirmed() {
        ended -= confirmed
        confirmed = 0
    }
}

/// The `SentTotals` of an attempt, whose exchanges can run concurrently.
final class SentBytes: Sendable {
    private let totals: Mutex<SentTotals>

    init(confirmed: ByteCount) { totals = Mutex(SentTotals(confirmed: confirmed)) }

    var out: ByteCount { totals.withLock { $0.out } }

    func record(_ bytes: ByteCount, of exchange: Int, begins: Bool = false) -> ByteCount {
        totals.withLock {
            $0.record(bytes, of: exchange, begins: begins)
            return $0.reached
        }
    }

    func end(_ exchange: Int, confirmed: ByteCount) {
        totals.withLock { $0.end(exchange, confirmed: confirmed) }
    }

    func deleteConfirmed() { totals.withLock { $0.deleteConfirmed() } }
}
