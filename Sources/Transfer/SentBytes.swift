import FerryProtocols
import Synchronization

/// The bytes of the file that are out or at the server: those confirmed, and those the exchanges under way have sent.
final class SentBytes: Sendable {
    private struct Counts {
        var confirmed: ByteCount
        var underWay: [Int: ByteCount] = [:]

        var total: ByteCount { underWay.values.reduce(confirmed, +) }
    }

    private let counts: Mutex<Counts>

    init(confirmed: ByteCount) { counts = Mutex(Counts(confirmed: confirmed)) }

    /// `bytes` of the file went out with exchange number `exchange`, also again from its beginning.
    func record(_ bytes: ByteCount, of exchange: Int) -> ByteCount {
        counts.withLock {
            $0.underWay[exchange] = bytes
            return $0.total
        }
    }

    /// The exchange has ended; the server's word takes the place of what it sent.
    func end(_ exchange: Int, confirmed: ByteCount) {
        counts.withLock {
            $0.underWay[exchange] = nil
            $0.confirmed = confirmed
        }
    }
}
