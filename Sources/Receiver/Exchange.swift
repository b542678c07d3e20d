import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore
import NIOHTTPTypes

final class Exchange {
    typealias Parts = NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator
    typealias Output = NIOAsyncChannelOutboundWriter<HTTPResponsePart>

    enum Cut: Error {
        case connectionLost
        case tooSlow
    }

    /// The maximum number of content bytes that are read and dropped after a response to keep the connection open.
    private static let smallRest = 64 << 10
    /// The maximum number of content bytes that are read and dropped before the connection closes, within `lingering`.
    /// Without this reading, TCP would reset the connection, and the client could lose the response.
    private static let largestRest = 64 << 20
    private static let lingering = TimeAmount.seconds(2)
    /// The maximum number of bytes in one write. A client that does not read them within `idleTime` is disconnected.
    private static let largestWrite = 64 << 10

    private enum Body {
        /// The client waits for `100 Continue`.
        case announced
        case flowing
        case ended
    }

    let head: HTTPRequest
    /// The value of `Content-Length`; 0 without content; nil if the content is chunked or the value is not a number.
    let length: Int?
    let channel: any Channel
    private let output: Output
    private var hasResponded = false
    private var body: Body
    private var parts: Parts
    private var received = 0
    private var rate: BodyRate

    init(_ head: HTTPRequest, _ parts: Parts, _ output: Output, _ channel: any Channel, rate: BodyRate) {
        self.head = head
        self.parts = parts
        self.output = output
        self.channel = channel
        self.rate = rate
        let isChunked = head.headerFields[.transferEncoding] != nil
        // An invalid length is nil, not 0, because the request can have content. `FramingError` refuses such a request.
        length = isChunked ? nil : head.headerFields[.contentLength].map { Int($0) } ?? 0
        if length == 0 {
            body = .ended
        } else {
            body = head.headerFields[.expect]?.lowercased() == "100-continue" ? .announced : .flowing
        }
    }

    /// Returns the next chunk of the body; nil after the last chunk.
    /// - Throws: `Cut.connectionLost` also if the task is cancelled.
    func read() async throws -> ByteBuffer? {
        switch body {
        case .ended:
            return nil
        case .announced:
            body = .flowing
            try await sendInterim(HTTPResponse(status: .continue))
        case .flowing:
            break
        }
        let began = ContinuousClock.now
        guard let chunk = try await nextChunk() else {
            let isWhole = length.map { $0 == received } ?? channel.isActive
            guard isWhole, !Task.isCancelled else { throw Cut.connectionLost }
            body = .ended
            return nil
        }
        received += chunk.readableBytes
        guard rate.allows(chunk.readableBytes, after: began.duration(to: .now)) else { throw Cut.tooSlow }
        return chunk
    }

    private func nextChunk() async throws -> ByteBuffer? {
        guard case .body(let chunk)? = try await parts.next() else { return nil }
        return chunk
    }

    /// Sends the response, unless the request has one already. Closes the connection if it cannot be reused.
    func send(_ reply: Response) async throws {
        guard !hasResponded else { return }
        hasResponded = true
        var fields = reply.fields
        if reply.status != .noContent, fields[.contentLength] == nil {
            fields[.contentLength] = "\(reply.body.readableBytes)"
        }
        let closes = mustClose || fields[.connection] == "close"
        if closes { fields[.connection] = "close" }
        let response = HTTPResponse(status: reply.status, headerFields: common(fields))
        let hasBody = head.method != .head && reply.body.readableBytes > 0
        if hasBody, reply.body.readableBytes > Self.largestWrite {
            try await output.write(.head(response))
            try await write(reply.body)
            try await output.write(.end(nil))
        } else {
            try await output.write(
                contentsOf: [.head(response)] + (hasBody ? [.body(reply.body)] : []) + [.end(nil)])
        }
        if closes { try await linger() }
    }

    /// Writes a large body in parts, as fast as the client reads them.
    private func write(_ body: ByteBuffer) async throws {
        var rest = body
        while let chunk = rest.readSlice(length: min(Self.largestWrite, rest.readableBytes)),
            chunk.readableBytes > 0
        {
            // A copy, because a slice would keep the memory of the whole body until it is sent.
            try await output.write(.body(ByteBuffer(bytes: chunk.readableBytesView)))
            // Waits for the event loop, on which the writer learns that the channel's buffer is full. Otherwise it
            // would accept all chunks at once. `send` does the same.
            try await channel.eventLoop.submit {}.get()
        }
    }

    /// Sends a response with a stored file as its content, unless the request has a response already.
    func send(_ file: OpenFile, size: Int, fields: HTTPFields) async throws {
        guard !hasResponded else { return }
        hasResponded = true
        let closes = mustClose
        var response = HTTPResponse(status: .ok, headerFields: common(fields))
        response.headerFields[.contentLength] = "\(size)"
        if closes { response.headerFields[.connection] = "close" }
        try await output.write(.head(response))
        var offset = 0
        while offset < size {
            let position = offset
            let chunk = try? await offLoop {
                try file.read(upTo: min(Self.largestWrite, size - position), at: position)
            }
            // After the head, no refusal can be sent. The early end of the connection shows the client the failure.
            guard let chunk, chunk.readableBytes > 0 else { throw Cut.connectionLost }
            offset += chunk.readableBytes
            try await output.write(.body(chunk))
            try await channel.eventLoop.submit {}.get()
        }
        try await output.write(.end(nil))
        if closes { try await linger() }
    }

    private func common(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        fields[.date] = HTTPDate.format(Date.now)
        fields[.xContentTypeOptions] = "nosniff"
        return fields
    }

    /// Sends an interim response (RFC 9110 §15.2), unless the request has its final response already.
    func sendInterim(_ response: HTTPResponse) async throws {
        if !hasResponded { try await output.write(.head(response)) }
    }

    private var mustClose: Bool {
        switch body {
        // The HTTP parser reads nothing after a request with `Upgrade`.
        case .ended: head.headerFields[.upgrade] != nil
        case .announced: true  // the client may or may not send the content
        case .flowing: length.map { $0 - received > Self.smallRest } ?? true
        }
    }

    private func linger() async throws {
        let channel = channel
        let deadline = channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
        defer { deadline.cancel() }
        try? await channel.close(mode: .output)  // shows the client that the response is complete
        var rest = 0
        while rest < Self.largestRest, let chunk = try? await nextChunk() { rest += chunk.readableBytes }
        try? await channel.close()
    }
}
