import HTTPTypes

/// One request's share of a file, and how it says where its bytes belong.
struct WebDAVPiece: Hashable, Sendable {
    enum Manner: Hashable, Sendable {
        /// Makes the file, or replaces it.
        case whole
        /// `Content-Range` in a request: understood by few, ignored by some (RFC 9110 §14.5).
        case contentRange
        /// SabreDAV's `PATCH`.
        case partialUpdate
    }

    var range: Range<ByteCount>
    var manner: Manner

    /// - Parameters:
    ///   - held: How much of the file the server has.
    ///   - chunk: The most bytes in one request; nil for all.
    ///   - ranges: How parts can be written; nil if nobody knows.
    init(after held: ByteCount, of size: ByteCount, chunk: ByteCount?, ranges: WebDAVServer.Ranges?) {
        let isInParts = ranges != .refused
        let end = isInParts ? held + min(size - held, max(1, chunk ?? size)) : size
        range = held..<max(held, end)
        manner = held == 0 ? .whole : ranges == .patch ? .partialUpdate : .contentRange
    }

    func exchange(to url: String, of size: ByteCount) -> Exchange {
        var exchange = Exchange(
            .put, url, body: range.isEmpty ? .none : .file(range: range), isIdempotent: true)
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
