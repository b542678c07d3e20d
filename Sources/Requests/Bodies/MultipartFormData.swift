public import FerryFiles
public import FerryProtocols
public import FerryTransfer
public import HTTPTypes

/// A multipart/form-data body (RFC 7578): fields, files and streams, sent in the order they were appended.
///
/// A value that says what to send: nothing is opened, checked or read before `open()`, and each `open()` begins anew, so
/// one form serves every attempt. What is wrong with a part comes out there, in words that name the part. Appending
/// changes this value only, not a copy that was handed over before.
///
/// A form without parts is the closing delimiter alone, `--B--` and CRLF, where B is the boundary.
public struct MultipartFormData: Sendable {
    struct Part: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            case file(LocalPath)
            case stream(BodyStream)
            /// The part cannot be sent, as was clear when it was appended.
            case unusable(UploadFailure)
        }

        var header: MultipartHeader
        var content: Content
    }

    let boundary: MultipartBoundary
    private(set) var parts: [Part] = []

    /// A form with a boundary of its own that nobody can guess, so that no content can hold it.
    public init() { boundary = MultipartBoundary() }

    /// A form with a boundary that was agreed on. Every part is searched for it, so files are read twice; a part that
    /// holds it is not sent.
    /// - Throws: `UploadFailure` (`permanent`) unless it has 1 to 70 characters of RFC 2046 §5.1.1.
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

    /// Appends bytes that are in memory.
    /// - Parameters:
    ///   - fileName: Makes the part a file for the receiver.
    ///   - contentType: A media type such as `image/png`. nil takes it from the file name's extension; a part without
    ///     a file name then has none, which means text.
    ///   - headers: More header lines of the part. Its name, file name and type are not among them.
    public mutating func append(
        _ bytes: some Sequence<UInt8>, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.bytes(Array(bytes)), name, fileName, contentType, headers)
    }

    /// Appends text as UTF-8. The rest is as for bytes.
    public mutating func append(
        _ text: some StringProtocol, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.bytes(Array(text.utf8)), name, fileName, contentType, headers)
    }

    /// Appends one field of the same name for each value, in order; none for none.
    public mutating func append(values: some Sequence<some CustomStringConvertible>, name: String) {
        for value in values { append(value.description, name: name) }
    }

    /// Appends a value as a JSON document. It is encoded at once, so that every attempt sends the same bytes.
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

    /// Appends a file, which is read while it is sent. Its name needs no extension.
    /// - Parameters:
    ///   - fileName: nil takes the last component of the path, with U+FFFD for what is not UTF-8.
    ///   - contentType: nil takes it from the file name's extension, see `MediaType`.
    public mutating func append(
        file path: LocalPath, name: String, fileName: String? = nil, contentType: String? = nil,
        headers: HTTPFields = [:]
    ) {
        append(.file(path), name, fileName ?? path.name, contentType, headers)
    }

    /// Appends the file at a path, not at an address such as `https://…`. The rest is as for a `LocalPath`.
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

    /// Appends bytes that are made while they are sent. A stream that does not know its length leaves the form without
    /// one, and the form is then sent chunked. The rest is as for bytes.
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
