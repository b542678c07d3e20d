import FerryProtocols

/// Compares the bytes that left this machine with the bytes that the kernel has accepted, for one request and its
/// response.
///
/// A write completes when the kernel has accepted its bytes. Megabytes of them can still wait in the kernel. If the
/// connection breaks, the waiting bytes are never sent.
struct SentCount: Equatable, Sendable {
    /// The number of bytes of this connection that the kernel had accepted when the most recent write completed. Nil if
    /// no write has completed, or if the kernel does not count sent bytes. Also nil after this side has closed a
    /// connection that still worked.
    private var taken: UInt64?
    /// The number of bytes of this connection that had left this machine when the kernel was last queried.
    private var sent: UInt64 = 0

    /// Records that a write of the body completed.
    mutating func took(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        taken = sent + info.unsentBytes
        self.sent = sent
    }

    mutating func update(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        self.sent = sent
    }

    /// Records that this side closes the connection. If the connection still works, the kernel will send all bytes that
    /// it has accepted. Then `difference` becomes nil. Otherwise only the bytes that have left this machine count as
    /// sent.
    mutating func close(_ info: TCPInfo) {
        if info.isEstablished, info.unanswered == 0 { taken = nil } else { update(info) }
    }

    /// The number of bytes that left this machine, minus the number of bytes in completed writes. It is negative if the
    /// kernel has accepted bytes and has not sent them.
    ///
    /// Nil if no write completed, or if the kernel does not count sent bytes. Also nil after this side has closed a
    /// connection that still worked, because the kernel sends all accepted bytes then.
    var difference: ByteCount? {
        taken.map { sent >= $0 ? ByteCount(clamping: sent - $0) : -ByteCount(clamping: $0 - sent) }
    }
}
