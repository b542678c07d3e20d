import HTTPTypes

/// The protocol that sends the file as the body of one `POST` (RFC 9110 §9.3.3).
public struct PostUpload: SequentialProtocol {
    public static let name = "post"
    public static let traits = ProtocolTraits(resumes: false, respondsWithPages: true)

    private let attempt: SingleShot

    /// - Parameter options: The options, of which `method`, `sendsIdempotencyKey` and `link` are used.
    public init(item: UploadItem, options: ProtocolOptions) {
        var fields: HTTPFields = [.contentType: item.contentType]
        fields[.contentDisposition] = Self.disposition(item.name)
        attempt = SingleShot(
            Exchange(
                options.requestMethod(or: .post), UploadAddress.filled(item.url, with: item.name),
                fields: fields,
                body: item.size > 0 ? .file(range: 0..<item.size) : .none,
                traits: options.sendsIdempotencyKey ? [.idempotent, .completes] : .completes),
            item: item, link: options.link)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        attempt.start(resource)
    }
    public mutating func receive(_ reply: ExchangeOutcome) -> Step { attempt.receive(reply) }

    /// Returns the value of `Content-Disposition`: the escaped name as `filename`, and also the exact name as
    /// `filename*` if escaping changes it.
    private static func disposition(_ name: String) -> String {
        let plain = escaped(name)
        let field = "attachment; filename=\"\(plain)\""
        return plain == name ? field : "\(field); \(ContentDisposition.extended(filename: name))"
    }

    /// Escapes a name as in multipart/form-data. Control characters become `%XX`, because a field's value must not
    /// contain them (RFC 9110 §5.5).
    private static func escaped(_ name: String) -> String {
        MultipartHeader.escaped(fileName: name).unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.value < 0x20 || scalar.value == 0x7F {
                text += scalar.value < 0x10 ? "%0" : "%"
                text += String(scalar.value, radix: 16, uppercase: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The protocol that sends the file in one `POST` of multipart/form-data (RFC 7578). The file is streamed between a
/// computed prefix and suffix.
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
            fileName: item.name,
            fileType: item.contentType)
        attempt = SingleShot(
            Exchange(
                options.requestMethod(or: .post), UploadAddress.filled(item.url, with: item.name),
                fields: [.contentType: form.contentType],
                body: .file(range: 0..<item.size, prefix: form.prefix, suffix: form.suffix),
                traits: options.sendsIdempotencyKey ? [.idempotent, .completes] : .completes),
            item: item, link: options.link)
    }

    public mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
        attempt.start(resource)
    }
    public mutating func receive(_ reply: ExchangeOutcome) -> Step { attempt.receive(reply) }
}

/// One request that is the whole upload. Without an idempotency key, the request must not reach the server twice. So
/// before the last bytes are sent, the journal records that the whole body was possibly sent. A later attempt that
/// finds this record fails, because the server possibly has the file already.
struct SingleShot: Sendable {
    private var exchange: Exchange
    private let size: ByteCount
    private let link: LinkSource?

    init(_ exchange: Exchange, item: UploadItem, link: LinkSource? = nil) {
        self.link = link
        self.exchange = exchange
        size = item.size
        if exchange.traits.contains(.idempotent) {
            self.exchange.fields.idempotencyKey = item.contentKey
        } else {
            let base = UploadAddress.withoutQuery(exchange.url)
            self.exchange.markBeforeLastBytes = UploadResource(url: base).withWholeBodySent(true)
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

    /// Returns the URL in the configured part of the response; nil if no part is configured or it has no URL.
    private func named(in reply: ExchangeOutcome) -> String? {
        guard case .responded(let response) = reply else { return nil }
        return link?.link(in: response, base: exchange.url)
    }
}
