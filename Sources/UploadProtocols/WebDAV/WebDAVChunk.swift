import HTTPTypes

/// One request's share of a file, and how it says where its bytes belong.
struct WebDAVChunk: Hashable, Sendable {
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

    /// Little is lost with a server that fails the proof. A first piece stays as small where parts are known to work:
    /// what breaks without a range leaves nothing at most servers.
    static let proofSize: ByteCount = 64 << 10

    /// - Parameters:
    ///   - held: How much of the file the server has.
    ///   - chunk: The most bytes in one request; nil for all.
    ///   - ranges: How parts can be written; nil if nobody knows.
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
