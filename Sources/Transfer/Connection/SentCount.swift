import FerryProtocols

/// Compares the bytes that left this machine, and those that the other side has acknowledged, with those that the kernel
/// has accepted, for one exchange.
///
/// A write completes when the kernel has accepted its bytes. On a slow link megabytes still wait there, and are never
/// sent if the connection breaks.
struct SentCount: Equatable, Sendable {
    /// The number of bytes that the kernel had accepted when the last write completed; nil if `difference` is unknown.
    private var taken: UInt64?
    /// The number of bytes that had left this machine when the kernel was last queried.
    private var sent: UInt64 = 0
    /// The number of bytes that the other side had acknowledged by then.
    private var acknowledged: UInt64 = 0
    /// The number of bytes of the body in completed writes.
    private var body: ByteCount = 0
    /// The number of bytes that the kernel had accepted before this exchange; nil if the body is small.
    private var before: UInt64?

    /// Records the count before the exchange, for a body whose first write can take long.
    mutating func begin(_ info: TCPInfo) { before = (info.sentBytes ?? 0) + info.unsentBytes }

    /// Records that a write with `bytes` bytes of the body completed.
    mutating func took(_ bytes: ByteCount, _ info: TCPInfo) {
        body += bytes
        guard let sent = info.sentBytes else { return }
        taken = sent + info.unsentBytes
        update(info)
    }

    mutating func update(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        self.sent = sent
        acknowledged = info.acknowledgedBytes
    }

    /// Records that this side closes the connection. If it still works, the kernel will send all accepted bytes.
    mutating func close(_ info: TCPInfo) {
        if info.isEstablished, info.unanswered == 0 { taken = nil } else { update(info) }
    }

    /// The number of bytes that left this machine, minus the number of bytes in completed writes. It is negative if the
    /// kernel has accepted bytes and has not sent them.
    ///
    /// Nil if no write completed, if the kernel does not count sent bytes, or after this side's close.
    var difference: ByteCount? { taken.map { Self.difference(sent, $0) } }

    /// The number of bytes of the body that the other side has acknowledged; all of the completed writes if the kernel
    /// does not count.
    ///
    /// For an incomplete write it is an estimate, which is never too high. It leaves out 1 % for encryption, and in the
    /// first write also the longest head of a request.
    var acknowledgedBody: ByteCount {
        guard let taken else {
            guard body == 0, let before else { return body }
            return max(0, Self.difference(acknowledged, before) - ByteCount(RequestHead.longest)) * 99 / 100
        }
        let beyond = Self.difference(acknowledged, taken)
        return max(0, body + (beyond > 0 ? beyond * 99 / 100 : beyond))
    }

    private static func difference(_ first: UInt64, _ second: UInt64) -> ByteCount {
        first >= second ? ByteCount(clamping: first - second) : -ByteCount(clamping: second - first)
    }
}
