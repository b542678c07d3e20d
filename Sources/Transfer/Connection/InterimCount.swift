/// Counts the interim responses (1xx) to one request, and decides when there are too many.
///
/// A server may report progress during a long upload (`102 Processing`, RFC 2518 §10.1; `104 Upload Resumption
/// Supported`), so the count begins anew when the body has moved. While the body stands still, a server that goes on
/// with them is assumed never to send a final response.
struct InterimCount: Equatable {
    /// The maximum number of interim responses in a row without progress of the body.
    private static let interimLimit = 32

    private var left = Self.interimLimit
    private var written: UInt64
    private var acknowledged: UInt64

    var isExceeded: Bool { left < 0 }

    init(written: UInt64, acknowledged: UInt64) {
        self.written = written
        self.acknowledged = acknowledged
    }

    /// Counts an interim response. Both numbers are those of the connection; `acknowledged` is 0 if the kernel does not
    /// count it.
    ///
    /// Each KiB of progress allows one more response: several can be read at once, for example after this program was
    /// suspended, and only the first finds that the body has moved.
    mutating func add(written: UInt64, acknowledged: UInt64) {
        let moved = max(
            Self.progress(&self.written, written), Self.progress(&self.acknowledged, acknowledged))
        if moved > 0 { left = max(left, Self.interimLimit + Int(clamping: moved >> 10)) }
        left -= 1
    }

    /// Replaces `old` by a greater `new` and returns the difference.
    private static func progress(_ old: inout UInt64, _ new: UInt64) -> UInt64 {
        guard new > old else { return 0 }
        defer { old = new }
        return new - old
    }
}
