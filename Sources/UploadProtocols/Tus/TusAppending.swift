import HTTPTypes

/// Sends a range of the file's bytes to one upload on a tus server, until the server has all of them. Each request
/// appends bytes at the offset that the server reported last.
struct TusAppending: Sendable {
    /// The result of handling a response of the server.
    enum Turn: Sendable {
        case send(Exchange)
        /// The server has confirmed all bytes that this upload must get. The value is the response that confirmed them.
        case full(ExchangeOutcome.Response)
        /// The server no longer has the upload, or reports an offset or a length that does not fit.
        case gone(because: String)
        /// The server still has the upload, but reports offset 0, although it had confirmed bytes of it.
        case forgotten
        case failed(UploadFailure)
    }

    /// The server's knowledge of the upload's length.
    private enum Length: Sendable {
        case reported
        /// The server does not know the length. The next request with bytes also sends the length.
        case unreported
        /// The server refused the request that sent the length, so no further request sends it.
        case refused
    }

    private enum Phase: Sendable {
        case begun
        case asking
        /// A request with bytes up to the offset `end` was sent. `tellsLength` is true if it also sends the length.
        case appending(end: ByteCount, tellsLength: Bool)
    }

    static let contentType = "application/offset+octet-stream"

    /// The stored facts about the upload. Its `confirmed` counts from the start of `range`, not of the file.
    private(set) var resource: UploadResource
    private var lost: ByteCount = 0

    private let range: Range<ByteCount>
    private let chunkSize: ByteCount?
    private let part: Int
    private var length: Length
    private var phase = Phase.begun
    /// True once a request has begun at an offset above 0: a faulty server can join the requests' bytes incorrectly.
    private(set) var isInChunks = false
    private var budget = RetryBudget()

    /// - Parameters:
    ///   - chunkSize: The maximum number of bytes in one request; nil for no limit.
    ///   - part: The number that `Exchange.part` has in each request, from 1 for a part of a file. It is 0 for the
    ///     whole file, whose last request completes the upload.
    ///   - isLengthTold: False if the request that created the upload did not state its length.
    init(
        _ resource: UploadResource, range: Range<ByteCount>, chunkSize: ByteCount?, part: Int = 0,
        isLengthTold: Bool = true
    ) {
        self.resource = resource
        self.range = range
        self.chunkSize = chunkSize
        self.part = part
        length = isLengthTold ? .reported : .unreported
    }

    private var size: ByteCount { range.upperBound - range.lowerBound }

    var isFull: Bool { resource.confirmed >= size }

    /// True if the last request sent bytes of the file; false if it requested the offset.
    var hasAppended: Bool { if case .appending = phase { true } else { false } }

    /// Returns the number of bytes that the server has lost after it had confirmed them, once.
    mutating func takeLost() -> ByteCount {
        defer { lost = 0 }
        return lost
    }

    /// Returns the request that asks the server for the upload's offset.
    mutating func ask() -> Exchange {
        phase = .asking
        var exchange = Exchange(.head, resource.url, fields: [.tusResumable: TusVerdict.version])
        exchange.part = part
        return exchange
    }

    /// Returns the request that appends the next bytes, or `full` with `response` if the server has confirmed all.
    mutating func append(after response: ExchangeOutcome.Response) -> Turn {
        guard resource.confirmed < size else { return .full(response) }
        let held = resource.confirmed
        if held > 0 { isInChunks = true }
        let end = end(from: held)
        let isLast = end == size && part == 0
        let tellsLength = if case .unreported = length { true } else { false }
        var fields: HTTPFields = [
            .tusResumable: TusVerdict.version, .uploadOffset: "\(held)", .contentType: Self.contentType,
        ]
        if tellsLength { fields[.uploadLength] = "\(size)" }
        if resource.tus.overridesMethod { fields[.methodOverride] = "PATCH" }
        let content = range.lowerBound + held..<range.lowerBound + end
        // Not marked as idempotent: the transport would otherwise repeat bytes that possibly arrived.
        var exchange = Exchange(
            resource.tus.overridesMethod ? .post : .patch, resource.url, fields: fields,
            body: .file(range: content), traits: isLast ? .completes : [])
        exchange.part = part
        phase = .appending(end: end, tellsLength: tellsLength)
        if let sum = resource.tus.sum {
            exchange.digests = [sum.order(for: content)]
            let next = range.lowerBound + end..<range.lowerBound + self.end(from: end)
            if !next.isEmpty { exchange.nextDigests = [sum.order(for: next)] }
        } else {
            exchange.set(.kept, if: resource.appends.learntChunk == nil)
            resource.appends.begin(held..<end)
        }
        // Some servers delete a complete upload. The next attempt then knows that a missing one is possibly complete.
        if isLast { exchange.markBeforeLastBytes = resource.withWholeBodySent(true) }
        return .send(exchange)
    }

    /// Returns the offset at which a request ends that begins at `offset`. With checksums, it is the next multiple of
    /// `TusSum.chunk`. Without them, the lowest known limit for one request determines it.
    private func end(from offset: ByteCount) -> ByteCount {
        let left = size - offset
        if let sum = resource.tus.sum { return offset + min(left, sum.chunk - offset % sum.chunk) }
        let limits = [chunkSize, resource.tus.requestLimit, resource.appends.learntChunk].compactMap { $0 }
        return offset + min(left, max(1, limits.min() ?? left))
    }

    mutating func receive(_ reply: ExchangeOutcome) -> Turn {
        guard case .responded(let response) = reply else {
            if case .appending = phase, case .broken(_, let bodySent) = reply {
                resource.appends.didBreak(afterSending: bodySent ?? 0)
            }
            return .failed(reply.failure)
        }
        switch phase {
        case .begun: return .failed(.unasked)
        case .asking: return receiveOffset(response)
        case .appending(let end, let tellsLength):
            guard response.isSuccess else { return refused(response, end: end, tellsLength: tellsLength) }
            resource.appends.didAppend()
            if tellsLength { length = .reported }
            return advance(to: response, end: end)
        }
    }

    /// Continues at the offset in the response, or asks again if there is none. `end` is the offset at which the bytes
    /// of the request ended; nil if it sent none.
    private mutating func advance(to response: ExchangeOutcome.Response, end: ByteCount?) -> Turn {
        guard let offset = response.uploadOffset else {
            if let end = budget.missingOffset() { return .failed(end) }
            if end == size, part == 0 { resource = resource.withWholeBodySent(true) }
            return .send(ask())
        }
        if offset > end ?? size || response.tellsOtherLength(than: size) {
            return .gone(because: "the server's upload does not fit this file")
        }
        let before = resource.confirmed
        resource = resource.withWholeBodySent(false)
        resource.confirmed = offset
        resource.expires = response.expiry ?? resource.expires
        // The server stored only a part of a request, so it cannot have checked the request's checksum.
        if let sum = resource.tus.sum, offset % sum.chunk != 0, offset != size {
            resource.tus.isChecked = false
        }
        lost += max(0, before - offset)
        if let end = budget.judge(offset, after: before, sentTo: end) { return .failed(end) }
        return append(after: response)
    }

    private mutating func receiveOffset(_ response: ExchangeOutcome.Response) -> Turn {
        switch response.status {
        case 200..<300:
            if response.fields[.uploadLength] != nil {
                length = .reported
            } else if case .reported = length {
                length = .unreported
            }
            if let offset = response.uploadOffset { resource.appends.didAsk(offset) }
            if response.uploadOffset == 0, resource.confirmed > 0 { return .forgotten }
            return advance(to: response, end: nil)
        case 404, 410: return .gone(because: "the server no longer knows the upload")
        case 403 where response.fields[.uploadOffset] == nil:
            return .gone(because: "the server no longer knows the upload")
        default: return .failed(TusVerdict.failure(response, to: .head))
        }
    }

    /// Handles the refusal of a request with bytes. If another request can succeed, asks the server for the offset
    /// first: some servers store the bytes of a request that they refuse (seen with tuspyserver 4.4.3).
    private mutating func refused(_ response: ExchangeOutcome.Response, end: ByteCount, tellsLength: Bool)
        -> Turn
    {
        resource.appends.wasRefused()
        if let locked = LockedUpload.failure(response, to: .patch) { return .failed(locked) }
        switch response.status {
        case 404, 410: return .gone(because: "the server no longer knows the upload")
        case 460 where resource.tus.sum != nil:
            guard budget.allows(.damage, limit: 2) else { return .failed(damaged(end: end)) }
            return .send(ask())
        case 409, 460:
            let end = budget.standstill("the server refuses every offset it names")
            return end.map { .failed($0) } ?? .send(ask())
        case 405 where !resource.tus.overridesMethod, 501 where !resource.tus.overridesMethod:
            resource.tus.overridesMethod = true
            return .send(ask())
        case 400 where tellsLength:
            length = .refused
            return .send(ask())
        case 400 where resource.tus.sum != nil:
            var failure = TusVerdict.failure(response)
            failure.hint =
                "the server may not know \(resource.tus.sum?.name ?? ""): set the destination's checksum to another"
            return .failed(failure)
        case 413:
            let failure = TusVerdict.failure(response)
            let sent = end - resource.confirmed
            guard !failure.isTransient, resource.tus.sum == nil, let limit = ChunkSizePolicy.below(sent)
            else { return .failed(failure) }
            resource.tus.requestLimit = limit
            return .send(ask())
        default: return .failed(TusVerdict.failure(response))
        }
    }

    private func damaged(end: ByteCount) -> UploadFailure {
        let position = range.lowerBound + resource.confirmed
        return UploadFailure(
            .permanent,
            "bytes \(position) to \(range.lowerBound + end) arrived damaged twice in a row"
                + (resource.tus.sum.map { " (\($0.algorithm.shown))" } ?? ""),
            hint:
                "this machine's disk or memory, or something on the way, changes bytes; check them, then retry",
            status: 460)
    }
}
