import HTTPTypes

/// The bytes of the file that one request sends, and how the request states their position.
struct WebDAVChunk: Hashable, Sendable {
    enum Manner: Hashable, Sendable {
        /// A plain `PUT` of the whole file or of its first chunk. It creates or replaces the file on the server.
        case whole
        /// `PUT` with the field `Content-Range`. Few servers support the field, and some ignore it (RFC 9110 §14.5).
        case contentRange
        /// A `PATCH` of SabreDAV's partial update, with the field `X-Update-Range`.
        case partialUpdate
    }

    var range: Range<ByteCount>
    var manner: Manner

    /// The maximum size in bytes of the first of several chunks, and of the chunk that tests whether the server can
    /// write parts. Most servers lose the bytes of the first chunk if its connection breaks. The bytes of the test are
    /// sent again if the server cannot write parts.
    static let proofSize: ByteCount = 64 << 10

    /// - Parameters:
    ///   - held: The number of bytes that the server has stored.
    ///   - chunk: The maximum number of bytes in one request; nil for no limit. It is ignored if the server refuses
    ///     parts.
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
        var exchange = Exchange(
            .put, url, body: range.isEmpty ? .none : .file(range: range))
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
