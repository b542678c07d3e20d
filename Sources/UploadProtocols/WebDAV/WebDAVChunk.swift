import HTTPTypes

/// The bytes of the file that one request sends, and how the request states their position.
struct WebDAVChunk: Hashable, Sendable {
    enum Manner: Hashable, Sendable {
        /// A plain `PUT` of the whole file or its first chunk, which creates or replaces the file.
        case whole
        /// `PUT` with `Content-Range`, which few servers support and some ignore (RFC 9110 §14.5).
        case contentRange
        /// A `PATCH` with `X-Update-Range` (SabreDAV's partial update).
        case partialUpdate
    }

    var range: Range<ByteCount>
    var manner: Manner

    /// The maximum size of the first of several chunks, whose bytes most servers lose if its connection breaks. Also of
    /// the chunk that tests whether the server can write parts, whose bytes are otherwise sent again.
    static let proofSize: ByteCount = 64 << 10

    /// - Parameters:
    ///   - held: The number of bytes that the server has stored.
    ///   - chunk: The maximum number of bytes in one request, if the server does not refuse parts; nil for no limit.
    ///   - ranges: The method by which the server writes parts of a file; nil if it is unknown.
    init(after held: ByteCount, of size: ByteCount, chunk: ByteCount?, ranges: WebDAVServer.Ranges?) {
        var length = size - held
        if let chunk, chunk < size, ranges != .refused {
            length = min(length, max(1, chunk))
            if held == 0 || ranges == nil { length = min(length, Self.proofSize) }
        }
        let end = held + length
        range = held..<max(held, end)
        manner = held == 0 ? .whole : ranges == .patch ? .partialUpdate : .contentRange
    }

    func exchange(to url: String, of size: ByteCount) -> Exchange {
        var exchange = Exchange(.put, url, body: range.isEmpty ? .none : .file(range: range))
        switch manner {
        case .whole: break
        case .contentRange:
            exchange.fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
        case .partialUpdate:
            exchange.method = .patch
            exchange.fields[.contentType] = "application/x-sabredav-partialupdate"
            exchange.fields[.updateRange] = "bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        }
        return exchange
    }
}
