import FerryFiles
import HTTPTypes

/// The protocol that sends the file as the body of one `POST` (RFC 9110 §9.3.3).
public struct PostUpload: SequentialProtocol {
    public static let name = "post"
    public static let traits = ProtocolTraits(resumes: false, respondsWithPages: true)

    private let attempt: SingleShot

    /// - Parameter options: The options of the destination. Only `method`, `sendsIdempotencyKey` and `link` are used.
    public init(item: UploadItem, options: ProtocolOptions) {
        var fields: HTTPFields = [.contentType: item.contentType]
        fields[.contentDisposition] = Self.disposition(item.name)
        attempt = SingleShot(item, options, fields, item.wholeBody)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        attempt.start(resource)
    }
    public mutating func receive(_ reply: ExchangeOutcome) -> Step { attempt.receive(reply) }

    /// Returns the value of `Content-Disposition`. Its parameter `filename` contains the name with double quotes and
    /// control characters (RFC 9110 §5.5) escaped. If this changes the name, `filename*` contains the exact name.
    private static func disposition(_ name: String) -> String {
        let plain = Array(name.utf8).percentEncoded { $1 >= 0x20 && $1 != 0x7F && $1 != UInt8(ascii: "\"") }
        let field = "attachment; filename=\"\(plain)\""
        return plain == name ? field : "\(field); \(ContentDisposition.extended(filename: name))"
    }
}

/// The protocol that sends the file in one `POST` with a multipart/form-data body (RFC 7578).
public struct FormUpload: SequentialProtocol {
    public static let name = "form"
    public static let traits = ProtocolTraits(resumes: false, respondsWithPages: true)

    private let attempt: SingleShot

    /// - Parameter options: The options, of which `fileField`, `method`, `sendsIdempotencyKey` and `link` are used.
    public init(item: UploadItem, options: ProtocolOptions) {
        self.init(item: item, options: options, boundary: MultipartBoundary())
    }

    init(item: UploadItem, options: ProtocolOptions, boundary: MultipartBoundary) {
        let form = MultipartForm(
            boundary: boundary, parameters: item.parameters, fileField: options.fileField,
            fileName: item.name, fileType: item.contentType)
        attempt = SingleShot(
            item, options, [.contentType: form.contentType],
            .file(range: 0..<item.size, prefix: form.prefix, suffix: form.suffix))
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        attempt.start(resource)
    }
    public mutating func receive(_ reply: ExchangeOutcome) -> Step { attempt.receive(reply) }
}

/// Sends the whole upload in one request.
///
/// Without an idempotency key, the request must not reach the server twice. So a mark is stored on disk before the last
/// bytes are sent, and an attempt that finds the mark of an earlier one fails.
struct SingleShot: Sendable {
    private var exchange: Exchange
    private let size: ByteCount
    private let link: LinkSource?

    init(_ item: UploadItem, _ options: ProtocolOptions, _ fields: HTTPFields, _ body: Exchange.Body) {
        link = options.link
        size = item.size
        exchange = Exchange(
            options.requestMethod(or: .post), UploadAddress.filled(item.url, with: item.name), fields: fields,
            body: body, traits: .completes)
        if options.sendsIdempotencyKey {
            exchange.traits.insert(.idempotent)
            exchange.fields.idempotencyKey = item.contentKey
        } else {
            let base = UploadAddress.withoutQuery(exchange.url)
            exchange.markBeforeLastBytes = UploadResource(url: base).withWholeBodySent(true)
        }
    }

    func start(_ resource: UploadResource?) -> Step {
        guard exchange.markBeforeLastBytes != nil, resource?.wholeBodySent == true else {
            return .send(exchange)
        }
        return .failed(SingleRequestUpload.unknownOutcome(nil))
    }

    func receive(_ reply: ExchangeOutcome) -> Step {
        switch SingleRequestUpload.step(reply, to: exchange, size: size) {
        case .failed(let failure, _) where failure.category != .outcomeUnknown:
            // The response is definite, or the body was not sent completely: the server does not have the file.
            return .failed(failure, notes: exchange.markBeforeLastBytes == nil ? [] : [.resource(nil)])
        case .done(var receipt, let notes):
            if let link = named(in: reply) { receipt.location = link }
            return .done(receipt, notes: notes)
        case let step: return step
        }
    }

    /// Returns the URL of the finished upload from the part of the response that `link` names.
    private func named(in reply: ExchangeOutcome) -> String? {
        guard case .responded(let response) = reply else { return nil }
        return link?.link(in: response, base: exchange.url)
    }
}
