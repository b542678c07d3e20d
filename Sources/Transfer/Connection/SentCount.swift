import FerryProtocols

/// Compares the bytes that left this machine with those that the kernel has accepted, for one exchange.
///
/// A write completes when the kernel has accepted its bytes. If the connection breaks, megabytes that still wait in the
/// kernel are never sent.
struct SentCount: Equatable, Sendable {
    /// The number of bytes that the kernel had accepted when the last write completed; nil if `difference` is unknown.
    private var taken: UInt64?
    /// The number of bytes that had left this machine when the kernel was last queried.
    private var sent: UInt64 = 0

    mutating func took(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        taken = sent + info.unsentBytes
        self.sent = sent
    }

    mutating func update(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        self.sent = sent
    }

    /// Records that this side closes the connection. If it still works, the kernel will send all accepted bytes.
    mutating func close(_ info: TCPInfo) {
        if info.isEstablished, info.unanswered == 0 { taken = nil } else { update(info) }
    }

    /// The number of bytes that left this machine, minus the number of bytes in completed writes. It is negative if the
    /// kernel has accepted bytes and has not sent them.
    ///
    /// Nil if no write completed, if the kernel does not count sent bytes, or after this side's close.
    var difference: ByteCount? {
        taken.map { sent >= $0 ? ByteCount(clamping: sent - $0) : -ByteCount(clamping: $0 - sent) }
    }
}
