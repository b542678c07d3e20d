public import FerryFiles
package import FerryProtocols
public import FerryTransfer

/// The body of a request, which can be opened again: each attempt and each redirect opens it, so
/// that a request which failed half-way goes out whole the next time.
public struct UploadBody: ReopenableBody {
    /// The body's wish for the field `Content-Type`.
    public enum ContentType: Hashable, Sendable {
        case none
        /// Unless the request names one itself.
        case suggested(String)
        /// A type that takes the place of the request's own: without the boundary no server could read a form.
        case required(String)
    }

    /// The type of the body, and whether it or the request decides.
    public let contentType: ContentType
    /// Bytes, where they can be told before `open()`.
    package private(set) var knownLength: ByteCount?
    private let isLeft: @Sendable () -> Bool
    private let opening: @Sendable () async throws -> TransportRequest.Body

    /// - Parameters:
    ///   - canBegin: Whether another attempt has something to send; asked after an attempt failed.
    ///   - open: Makes the body of one attempt, from its first byte. What it throws ends the attempt before anything
    ///     is sent.
    public init(
        contentType: ContentType = .none, canBegin: @escaping @Sendable () -> Bool = { true },
        open: @escaping @Sendable () async throws -> TransportRequest.Body
    ) {
        self.contentType = contentType
        isLeft = canBegin
        opening = open
    }

    /// A body that needs no opening.
    init(contentType: ContentType = .none, _ body: TransportRequest.Body) {
        self.init(contentType: contentType, canBegin: { body.canBegin }, open: { body })
        knownLength = body.length
    }

    /// False if the bytes could be had only once, and were.
    public var canBegin: Bool { isLeft() }

    /// - Throws: `UploadFailure` for what is known to be wrong with a file; whatever a caller's own body throws.
    public func open() async throws -> TransportRequest.Body { try await opening() }
}

extension UploadBody {
    /// No body at all.
    public static let none = UploadBody(.none)

    /// Bytes in memory. They may be none: the request then says `Content-Length: 0`.
    public static func data(_ bytes: some Sequence<UInt8> & Sendable) -> UploadBody {
        let bytes = [UInt8](bytes)
        return UploadBody(.bytes(bytes))
    }

    /// Text as UTF-8, `text/plain` unless the request says otherwise.
    public static func string(_ text: String) -> UploadBody {
        let bytes = Array(text.utf8)
        return UploadBody(contentType: .suggested("text/plain; charset=utf-8"), .bytes(bytes))
    }

    /// A file, read while it is sent. Each attempt sends it as it is when the attempt begins; a change while it is
    /// sent ends the attempt (`sourceChanged`).
    ///
    /// `Content-Type` follows the name's extension, `application/octet-stream` where there is no telling.
    public static func file(_ path: LocalPath) -> UploadBody {
        UploadBody(contentType: .suggested(MediaType.ofFile(named: path.name))) {
            let file = try await SourceFile.open(path)
            guard file.identity.size > 0 else { return .bytes([]) }
            return .streamed(
                StreamedBody([.file(file, identity: file.identity, range: 0..<file.identity.size)]))
        }
    }

    /// A file, by its path or `file:` address.
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

    /// Bytes that are made while they are sent; chunked if their number is not known.
    public static func stream(_ stream: BodyStream) -> UploadBody {
        UploadBody(.streamed(StreamedBody([.stream(stream)])))
    }

    /// A value as JSON, encoded once.
    ///
    /// A value that cannot be encoded ends the request before anything is sent.
    public static func json(_ value: some Encodable, encoder: JSONEncoder = JSONEncoder()) -> UploadBody {
        let encoded = Result { try [UInt8](encoder.encode(value)) }.mapError { error in
            UploadFailure(.permanent, "the value cannot be written as JSON: \(error)")
        }
        var body = UploadBody(contentType: .suggested("application/json")) { .bytes(try encoded.get()) }
        body.knownLength = (try? encoded.get()).map { ByteCount($0.count) }
        return body
    }

    /// Fields as `application/x-www-form-urlencoded`.
    public static func form(_ fields: FormFields) -> UploadBody {
        let bytes = Array(fields.encoded.utf8)
        return UploadBody(
            contentType: .suggested("application/x-www-form-urlencoded; charset=utf-8"), .bytes(bytes))
    }
}
