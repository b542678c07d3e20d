/// Counts the interim responses (1xx) to one request, and decides when there are too many.
///
/// A server may report its progress during a long upload (`102 Processing`, RFC 2518 §10.1; `104 Upload Resumption
/// Supported`). So the count begins anew when the body has moved. A server that sends interim responses while the body
/// stands still is assumed never to send a final response.
struct InterimCount: Equatable {
    /// The maximum number of interim responses in a row without progress of the body.
    private static let interimLimit = 32

    /// The number of further interim responses that are allowed now. It is negative after one too many.
    private var left = Self.interimLimit
    private var written: UInt64
    private var acknowledged: UInt64

    var isExceeded: Bool { left < 0 }

    /// - Parameters:
    ///   - written: The number of bytes of bodies that the kernel has accepted on the connection before the request.
    ///   - acknowledged: The number of bytes that the server has acknowledged on the connection before the request.
    init(written: UInt64, acknowledged: UInt64) {
        self.written = written
        self.acknowledged = acknowledged
    }

    /// Counts an interim response. If the body has moved since the last one, the count begins anew.
    ///
    /// Several responses can be read at once, for example after this program was suspended, and only the first of them
    /// finds that the body has moved. So each KiB allows one more response.
    ///
    /// - Parameters:
    ///   - written: The number of bytes of bodies that the kernel has accepted on the connection.
    ///   - acknowledged: The number of bytes that the server has acknowledged; 0 if the kernel does not count them.
    mutating func add(written: UInt64, acknowledged: UInt64) {
        let moved = max(
            Self.progress(&self.written, written), Self.progress(&self.acknowledged, acknowledged))
        if moved > 0 { left = max(left, Self.interimLimit + Int(clamping: moved >> 10)) }
        left -= 1
    }

    /// Replaces `old` by `new` and returns the difference. Does nothing if `new` is not greater.
    private static func progress(_ old: inout UInt64, _ new: UInt64) -> UInt64 {
        guard new > old else { return 0 }
        defer { old = new }
        return new - old
    }
}
