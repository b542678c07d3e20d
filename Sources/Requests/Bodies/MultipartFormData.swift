public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// A multipart/form-data body (RFC 7578): fields, files and streams, sent in the sequence in which they were appended.
///
/// `open()` opens the files and streams, and its errors name the faulty part. Each call returns the body from its first
/// byte, so the form can be sent again, unless a stream can be read only once.
///
/// The body of a form without parts is `--B--` and CRLF, where B is the boundary.
public struct MultipartFormData: Sendable {
    struct Part: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            case file(LocalPath)
            case stream(BodyStream)
            case unusable(UploadFailure)
        }

        var header: MultipartHeader
        var content: Content
    }

    let boundary: MultipartBoundary
    private(set) var parts: [Part] = []

    /// Creates a form with a random boundary, for which the parts are not searched.
    public init() { boundary = MultipartBoundary() }

    /// Creates a form with a given boundary. Every part is searched for it, so files are read twice.
    /// - Throws: `UploadFailure` (`permanent`) unless the boundary has 1 to 70 letters, digits, spaces and characters
    ///   of `'()+_,-./:=?`, and no space at the end (RFC 2046 §5.1.1).
    public init(boundary: String) throws(UploadFailure) {
        guard let boundary = try? MultipartBoundary(boundary) else {
            throw UploadFailure(
                .permanent, "\(boundary.debugDescription) cannot be the boundary of a form",
                hint:
                    "use 1 to 70 letters, digits and '()+_,-./:=? with no space at the end, or none: one is made up"
            )
        }
        self.boundary = boundary
    }

    /// The value of the request's `Content-Type`, with the boundary.
    public var contentType: String { boundary.contentType }

    /// Appends bytes in memory.
    /// - Parameters:
    ///   - fileName: The name of a file; nil for a form field.
    ///   - contentType: A media type such as `image/png`, by default from the extension of `fileName`. Without both,
    ///     the part has no `Content-Type`, which means `text/plain` (RFC 7578 §4.4).
    ///   - headers: Other header fields. With `Content-Disposition` or `Content-Type`, `open()` fails.
    public mutating func append(
        _ bytes: some Sequence<UInt8>, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.bytes(Array(bytes)), name, fileName, contentType, headers)
    }

    /// Appends text as UTF-8, with the parameters of bytes in memory.
    public mutating func append(
        _ text: some StringProtocol, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.bytes(Array(text.utf8)), name, fileName, contentType, headers)
    }

    /// Appends a form field with the same name for each value.
    public mutating func append(values: some Sequence<some CustomStringConvertible>, name: String) {
        for value in values { append(value.description, name: name) }
    }

    /// Appends a value as a JSON document, encoded at once. If that fails, `open()` fails.
    public mutating func append(
        json value: some Encodable, name: String, encoder: JSONEncoder = JSONEncoder()
    ) {
        let content: Part.Content
        do { content = .bytes(Array(try encoder.encode(value))) } catch {
            content = .unusable(
                UploadFailure(.permanent, "the value cannot be written as JSON: \(Self.reason(error))"))
        }
        append(content, name, nil, "application/json", [:])
    }

    /// Appends a file, which is read while it is sent.
    /// - Parameters:
    ///   - fileName: The file name; by default that of the path, with U+FFFD for bytes that are not UTF-8.
    ///   - contentType: The media type; by default that of the file name's extension (`MediaType`).
    public mutating func append(
        file path: LocalPath, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.file(path), name, fileName ?? path.name, contentType, headers)
    }

    /// Appends a file, which is read while it is sent.
    /// - Parameter path: The path of the file. With an empty text or a URL such as `https://…`, `open()` fails.
    public mutating func append(
        file path: String, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        let content: Part.Content
        do throws(UploadFailure) { content = .file(try LocalPath(notAnAddress: path)) } catch {
            content = .unusable(error)
        }
        append(content, name, fileName ?? LocalPath(path).name, contentType, headers)
    }

    /// Appends bytes that are produced while they are sent. With a stream of unknown length, the form is sent chunked.
    /// The other parameters are those of bytes in memory.
    public mutating func append(
        stream: BodyStream, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.stream(stream), name, fileName, contentType, headers)
    }

    private mutating func append(
        _ content: Part.Content, _ name: String, _ fileName: String?, _ contentType: String?,
        _ headers: HTTPFields
    ) {
        let header = MultipartHeader(
            name: name, fileName: fileName, contentType: contentType ?? fileName.map(MediaType.ofFile),
            fields: headers)
        parts.append(Part(header: header, content: content))
    }

    private static func reason(_ error: any Error) -> String {
        guard case EncodingError.invalidValue(_, let context)? = error as? EncodingError else {
            return "\(error)"
        }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return path.isEmpty ? context.debugDescription : "\(context.debugDescription) (\(path))"
    }
}

extension LocalPath {
    /// Creates a path from a text. As the path of a file, `https://host/a.png` would only be reported missing.
    /// - Throws: `UploadFailure` (`permanent`) if the text is a URL or empty.
    init(notAnAddress text: String) throws(UploadFailure) {
        if let colon = text.firstRange(of: "://"), Self.isScheme(text[..<colon.lowerBound]) {
            throw UploadFailure(
                .permanent, "\(text.debugDescription) is an address, not the path of a file",
                hint: "give the path of a file on this machine")
        }
        guard !text.isEmpty else {
            throw UploadFailure(
                .permanent, "the path is empty", hint: "give the path of a file on this machine")
        }
        self.init(text)
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
