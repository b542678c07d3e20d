import FerryProtocols

/// The number of bytes of an exchange's body that left this machine, while the kernel may have taken more.
///
/// A write completes when the kernel has the bytes, which may be megabytes before they are sent. When the connection
/// breaks, what still waits in the kernel is lost, and was never sent.
struct SentCount: Equatable, Sendable {
    /// Bytes that the connection had taken when the last write completed, since it was made.
    private var taken: UInt64?
    /// Bytes that had left this machine when the kernel was asked last.
    private var sent: UInt64 = 0

    /// A write of the body completed.
    mutating func took(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        taken = sent + info.unsentBytes
        self.sent = sent
    }

    /// The kernel was asked again.
    mutating func update(_ info: TCPInfo) {
        guard let sent = info.sentBytes else { return }
        self.sent = sent
    }

    /// Notes that this side closes the connection. While the other side listens, the kernel sends what it took; after a part of a
    /// file has broken, the connections of the others are often just as dead.
    mutating func close(_ info: TCPInfo) {
        if info.isEstablished, info.unanswered == 0 { taken = nil } else { update(info) }
    }

    /// The number of bytes that left this machine beyond the last completed write; negative if some of it did not leave.
    /// Nil if no write completed, or the kernel does not count.
    var difference: ByteCount? {
        taken.map { sent >= $0 ? ByteCount(clamping: sent - $0) : -ByteCount(clamping: $0 - sent) }
    }
}
