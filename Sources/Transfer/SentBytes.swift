package import FerryProtocols
import Synchronization

/// The sent bytes of a file: how many are confirmed or in flight, and how many an attempt has sent in total.
package struct SentTotals {
    private var confirmed: ByteCount
    /// The number of the file's bytes that each running exchange has sent, by the exchange's number. If an exchange
    /// sends its body again, the number counts from 0 again.
    private var underWay: [Int: ByteCount] = [:]
    /// The part of the total `out` that does not come from the running exchanges in `underWay`.
    private var ended: ByteCount

    package init(confirmed: ByteCount) { (self.confirmed, ended) = (confirmed, confirmed) }

    /// The number of bytes that are confirmed or in flight.
    package var reached: ByteCount { underWay.values.reduce(confirmed, +) }

    /// The number of bytes that were confirmed when the attempt began, plus the bytes that its exchanges have sent
    /// since. It is never less than the number of confirmed bytes. Bytes that are sent twice count twice, so the number
    /// can exceed `reached`. Confirmed bytes that the server loses are subtracted, because the queue counts them
    /// separately in `Upload.Tries.resent`.
    package var out: ByteCount { underWay.values.reduce(ended, +) }

    /// Records how many bytes of the file an exchange has sent so far.
    ///
    /// - Parameters:
    ///   - bytes: The number of the file's bytes that were sent since the current body began.
    ///   - exchange: The number of the exchange within the attempt.
    ///   - begins: True for the first bytes of a body. An exchange sends its body again after a redirect, after refused
    ///     credentials and on a fresh connection. `bytes` then counts from 0 again.
    package mutating func record(_ bytes: ByteCount, of exchange: Int, begins: Bool = false) {
        let before = underWay.updateValue(bytes, forKey: exchange) ?? 0
        if begins { ended += before }
    }

    /// Records the end of an exchange. `now` is the number of bytes that the server has confirmed by then.
    package mutating func end(_ exchange: Int, confirmed now: ByteCount) {
        ended += underWay.removeValue(forKey: exchange) ?? 0
        ended = max(now, ended - max(0, confirmed - now))
        confirmed = now
    }
}

/// The `SentTotals` of an attempt, protected by a lock, because the attempt's exchanges can run concurrently.
final class SentBytes: Sendable {
    private let totals: Mutex<SentTotals>

    init(confirmed: ByteCount) { totals = Mutex(SentTotals(confirmed: confirmed)) }

    var out: ByteCount { totals.withLock { $0.out } }

    /// - Returns: The number of bytes that are confirmed or in flight.
    func record(_ bytes: ByteCount, of exchange: Int, begins: Bool = false) -> ByteCount {
        totals.withLock {
            $0.record(bytes, of: exchange, begins: begins)
            return $0.reached
        }
    }

    func end(_ exchange: Int, confirmed: ByteCount) {
        totals.withLock { $0.end(exchange, confirmed: confirmed) }
    }
}
