import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// One request and its answer, on one connection.
final class Exchange {
    /// Why no more of a body will come.
    enum Cut: Error {
        case connectionLost
        /// Fewer bytes a second came than the receiver waits for.
        case tooSlow
    }

    /// Left-over content of this size is read away so that the connection can be used again.
    private static let smallRest = 64 << 10
    /// A client that is told "no" early may send this much more, for this long, before the connection closes.
    /// Closing at once would reset it, and the answer would be lost with the reset.
    private static let largestRest = 64 << 20
    private static let lingering = TimeAmount.seconds(2)

    private enum Body {
        /// The client waits for `100 Continue`.
        case announced
        case flowing
        case ended
    }

    let head: HTTPRequest
    /// Content-Length; nil with chunked coding. 0 without content.
    let length: Int?
    let channel: any Channel
    private var writer: ResponseWriter?
    private var body: Body
    private var iterator: RequestBody.AsyncIterator
    private var received = 0
    private var rate: BodyRate

    init(
        _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel, rate: BodyRate
    ) {
        self.rate = rate
        head = request.head
        self.channel = channel
        self.writer = consume writer
        iterator = request.body.makeAsyncIterator()
        let isChunked = request.headers[.transferEncoding] != nil
        // A length that cannot be read is refused; until then it is not taken for none.
        length = isChunked ? nil : request.headers[.contentLength].map { Int($0) } ?? 0
        if length == 0 {
            body = .ended
        } else {
            body = request.headers[.expect]?.lowercased() == "100-continue" ? .announced : .flowing
        }
    }

    /// The next piece of the body; nil at its proper end.
    /// - Throws: `Cut` if the connection ended before the body did.
    func read() async throws -> ByteBuffer? {
        switch body {
        case .ended:
            return nil
        case .announced:
            body = .flowing
            try await sendContinue()
        case .flowing:
            break
        }
        let began = ContinuousClock.now
        guard let piece = try await iterator.next() else {
            let isWhole = length.map { $0 == received } ?? channel.isActive
            guard isWhole, !Task.isCancelled else { throw Cut.connectionLost }
            body = .ended
            return nil
        }
        received += piece.readableBytes
        guard rate.allows(piece.readableBytes, after: began.duration(to: .now)) else { throw Cut.tooSlow }
        return piece
    }

    /// Sends the answer, and leaves the connection usable or closed.
    func send(_ answer: Answer) async throws {
        var fields = answer.fields
        if answer.status != .noContent, fields[.contentLength] == nil {
            fields[.contentLength] = "\(answer.body.readableBytes)"
        }
        let closes = mustClose || fields[.connection] == "close"
        if closes { fields[.connection] = "close" }
        let response = HTTPResponse(status: answer.status, headerFields: common(fields))
        guard let writer = writer.take() else { return }
        if head.method == .head || answer.body.readableBytes == 0 {
            try await writer.writeResponse(response)
        } else {
            try await writer.write(response: response, body: ResponseBody(byteBuffer: answer.body))
        }
        if closes { try await linger() }
    }

    /// Sends a stored file.
    func send(_ file: PartFile, size: Int, fields: HTTPFields) async throws {
        guard let writer = writer.take() else { return }
        var response = HTTPResponse(status: .ok, headerFields: common(fields))
        response.headerFields[.contentLength] = "\(size)"
        let sender = try await writer.writeHead(response)
        var output: any ResponseBodyWriter = sender
        var offset = 0
        while offset < size {
            let position = offset
            let piece = try? await offLoop { () throws(SystemError) in
                try file.read(upTo: min(1 << 20, size - position), at: position)
            }
            // After the head no refusal can be sent; a connection that ends early says it.
            guard let piece, piece.readableBytes > 0 else { throw Cut.connectionLost }
            offset += piece.readableBytes
            try await output.write(piece)
        }
        try await output.finish(nil)
    }

    private func common(_ fields: HTTPFields) -> HTTPFields {
        var fields = fields
        fields[.date] = Date.now.httpDate
        fields[.xContentTypeOptions] = "nosniff"
        return fields
    }

    private func sendContinue() async throws { try await sendInterim(HTTPResponse(status: .continue)) }

    /// Sends an answer before the final one (RFC 9110 §15.2).
    func sendInterim(_ response: HTTPResponse) async throws {
        guard let writer = writer.take() else { return }
        try await writer.writeInformationalHead(response)
        self.writer = consume writer
    }

    private var mustClose: Bool {
        switch body {
        case .ended: false
        case .announced: true  // whether the content will come is the client's choice
        case .flowing: length.map { $0 - received > Self.smallRest } ?? true
        }
    }

    private func linger() async throws {
        let channel = channel
        let deadline = channel.eventLoop.scheduleTask(in: Self.lingering) { channel.close(promise: nil) }
        defer { deadline.cancel() }
        try? await channel.close(mode: .output)  // the client need not wait to learn that this was all
        var rest = 0
        while rest < Self.largestRest, let piece = try? await iterator.next() { rest += piece.readableBytes }
        try? await channel.close()
    }
}
