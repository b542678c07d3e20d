package import FerryProtocols
public import FerryTransfer

/// The body of a request. Each attempt, and a redirect that repeats it, sends it from the first byte.
public struct UploadBody: ReopenableBody {
    /// The content type of a body.
    public enum ContentType: Hashable, Sendable {
        case none
        /// The type that a request gets if it has no `Content-Type` of its own.
        case suggested(String)
        /// The type that replaces the request's own, as that of a form, which contains the boundary.
        case required(String)
    }

    /// The content type of the body, and whether it replaces the request's own `Content-Type`.
    public let contentType: ContentType
    /// The number of bytes; nil if it is unknown before `open()`.
    package private(set) var knownLength: ByteCount?
    private let isLeft: @Sendable () -> Bool
    private let opening: @Sendable () async throws -> TransportRequest.Body

    /// - Parameters:
    ///   - canBegin: Returns whether another attempt can send the body.
    ///   - open: Returns the body of one attempt. An error ends the attempt before anything is sent.
    public init(
        contentType: ContentType = .none, canBegin: @escaping @Sendable () -> Bool = { true },
        open: @escaping @Sendable () async throws -> TransportRequest.Body
    ) {
        self.contentType = contentType
        isLeft = canBegin
        opening = open
    }

    /// Creates a body that is ready to send, such as bytes in memory.
    init(contentType: ContentType = .none, _ body: TransportRequest.Body) {
        self.init(contentType: contentType, canBegin: { body.canBegin }, open: { body })
        knownLength = body.length
    }

    /// True if an attempt can send the body; false if the body can be read only once and was read.
    public var canBegin: Bool { isLeft() }

    /// Returns the body of one attempt, from its first byte.
    /// - Throws: `UploadFailure` if a file cannot be read; otherwise the error of the closure.
    public func open() async throws -> TransportRequest.Body { try await opening() }
}

extension UploadBody {
    /// No body at all.
    public static let none = UploadBody(.none)

    /// Returns a body of bytes in memory, also of none.
    public static func data(_ bytes: some Sequence<UInt8> & Sendable) -> UploadBody {
        let bytes = [UInt8](bytes)
        return UploadBody(.bytes(bytes))
    }

    /// Returns a body of UTF-8 text, by default with the `Content-Type` `text/plain`.
    public static func string(_ text: String) -> UploadBody {
        let bytes = Array(text.utf8)
        return UploadBody(contentType: .suggested("text/plain; charset=utf-8"), .bytes(bytes))
    }

    /// Returns a body of a file, which is read while it is sent. If it changes during an attempt, the attempt fails
    /// with `sourceChanged`. The extension of its name determines the `Content-Type`.
    public static func file(_ path: LocalPath) -> UploadBody {
        UploadBody(contentType: .suggested(MediaType.ofFile(named: path.name))) {
            let file = try await SourceFile.open(path)
            guard file.identity.size > 0 else { return .bytes([]) }
            return .streamed(
                StreamedBody([.file(file, identity: file.identity, range: 0..<file.identity.size)]))
        }
    }

    /// Returns a body of the file at a `file:` URL. With any other URL, the request fails before anything is sent.
    public static func file(_ url: URL) -> UploadBody {
        guard url.isFileURL else {
            return UploadBody {
                throw UploadFailure(
                    .sourceUnreadable,
                    "\(Redaction.address(url.absoluteString)) is not the address of a file",
                    hint: "give a path or a file: address")
            }
        }
        return file(LocalPath(url.path(percentEncoded: false)))
    }

    /// Returns a body of bytes that are produced while they are sent. A stream of unknown length is sent chunked.
    public static func stream(_ stream: BodyStream) -> UploadBody {
        UploadBody(.streamed(StreamedBody([.stream(stream)])))
    }

    /// Returns a body of a JSON value, encoded once. If that fails, the request fails before anything is sent.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) -> UploadBody {
        let encoded = Result { try [UInt8](encoder.encode(value)) }.mapError { error in
            UploadFailure(.permanent, "the value cannot be written as JSON: \(error)")
        }
        var body = UploadBody(contentType: .suggested("application/json")) { .bytes(try encoded.get()) }
        body.knownLength = (try? encoded.get()).map { ByteCount($0.count) }
        return body
    }

    /// Returns a body of fields as `application/x-www-form-urlencoded`.
    public static func form(_ fields: FormFields) -> UploadBody {
        let bytes = Array(fields.encoded.utf8)
        return UploadBody(
            contentType: .suggested("application/x-www-form-urlencoded; charset=utf-8"), .bytes(bytes))
    }
}
