import FerryFiles

/// A parser for a `multipart/form-data` body that arrives in chunks of any size (RFC 7578, RFC 2046 §5.1.1). It returns
/// content as soon as it arrives, and keeps only bytes whose meaning depends on the next chunk.
package struct MultipartParser: Sendable {
    /// The limits of a form. The size of the content has no limit here, so the caller must limit it.
    package struct Limits: Hashable, Sendable {
        /// The maximum number of bytes in each part's header. The text before the first delimiter has the same limit.
        var headerBytes = 8192
        var parts = 1000
    }

    /// The header of one part. A part with a file name is a file, any other part is a form field.
    package struct Part: Hashable, Sendable {
        /// The name of the form field, after `%22`, `%0D` and `%0A` are decoded.
        package var name: String
        /// The decoded file name; nil for a form field. It can be empty, or contain separators or control characters.
        package var filename: String?
        /// The value of the part's field `Content-Type`; nil means `text/plain` (RFC 7578 §4.4).
        package var contentType: String?
    }

    /// An element that the parser has found in the body. The content of one part can be in several elements.
    package enum Event: Hashable, Sendable {
        case partBegan(Part)
        case content(ArraySlice<UInt8>)
        case partEnded
    }

    private enum State {
        case preamble(bytes: Int)
        case delimiterLine
        case header
        case content
        case epilogue
    }

    private var state = State.preamble(bytes: 0)
    private var held: [UInt8] = Array("\r\n".utf8)  // the first delimiter may have no CRLF before it
    private var partCount = 0
    private static let headerEnd = ByteSearch(Array("\r\n\r\n".utf8))
    private let delimiter: ByteSearch
    private let limits: Limits

    /// - Throws: `.boundary` if RFC 2046 §5.1.1 does not allow `boundary`.
    package init(boundary: String, limits: Limits = Limits()) throws(MultipartError) {
        let boundary = try MultipartBoundary(boundary)
        delimiter = ByteSearch(Array("\r\n--\(boundary.text)".utf8))
        self.limits = limits
    }

    /// - Parameter contentType: The request's `Content-Type` field.
    /// - Throws: `.boundary` if the field is not `multipart/form-data` or has no valid boundary.
    package init(contentType: String, limits: Limits = Limits()) throws(MultipartError) {
        let field = ParameterizedField(contentType)
        guard field.value.lowercased() == "multipart/form-data", let boundary = field["boundary"] else {
            throw .boundary
        }
        try self.init(boundary: boundary, limits: limits)
    }

    /// Parses the next chunk of the body, and returns the elements in it in order.
    /// - Throws: `MultipartError` if the body is malformed or exceeds a limit.
    package mutating func parse(_ piece: [UInt8]) throws(MultipartError) -> [Event] {
        let bytes = held.isEmpty ? piece : held + piece
        held = []
        var events: [Event] = []
        var position = 0
        while let next = try step(bytes, from: position, into: &events) { position = next }
        return events
    }

    /// Checks that the body is complete. Call this after the last chunk.
    /// - Throws: `.endedEarly` if the closing delimiter is missing, because the last part is possibly incomplete.
    package func finish() throws(MultipartError) {
        guard case .epilogue = state else { throw .endedEarly }
    }

    /// Parses one element and returns the position of the next one; nil if more bytes are needed or the body has ended.
    private mutating func step(
        _ bytes: [UInt8], from start: Int, into events: inout [Event]
    ) throws(MultipartError) -> Int? {
        switch state {
        case .preamble(let skipped):
            let found = delimiter.first(in: bytes, from: start)
            let preamble = skipped + found.lowerBound - start
            guard preamble <= limits.headerBytes else { throw .headerTooLarge }
            guard found.count == delimiter.pattern.count else {
                state = .preamble(bytes: preamble)
                return hold(bytes, from: found.lowerBound)
            }
            state = .delimiterLine
            return found.upperBound
        case .delimiterLine: return try endDelimiterLine(bytes, from: start)
        case .header:
            let found = Self.headerEnd.first(in: bytes, from: start)
            let isComplete = found.count == Self.headerEnd.pattern.count
            guard (isComplete ? found.upperBound : bytes.count) - start <= limits.headerBytes else {
                throw .headerTooLarge
            }
            guard isComplete else { return hold(bytes, from: start) }
            events.append(.partBegan(try Self.part(header: bytes[start..<found.upperBound])))
            state = .content
            return found.upperBound
        case .content:
            let found = delimiter.first(in: bytes, from: start)
            if found.lowerBound > start { events.append(.content(bytes[start..<found.lowerBound])) }
            guard found.count == delimiter.pattern.count else { return hold(bytes, from: found.lowerBound) }
            events.append(.partEnded)
            state = .delimiterLine
            return found.upperBound
        case .epilogue: return nil
        }
    }

    private mutating func hold(_ bytes: [UInt8], from start: Int) -> Int? {
        held = Array(bytes[start...])
        return nil
    }

    /// Reads the rest of a delimiter's line: `--` ends the body, and a CRLF, possibly after white space, begins a part.
    /// Returns the position of that CRLF; nil if the body has ended or more bytes are needed.
    private mutating func endDelimiterLine(_ bytes: [UInt8], from start: Int) throws(MultipartError) -> Int? {
        let rest = bytes[start...]
        if rest.starts(with: "--".utf8) {
            state = .epilogue
            return nil
        }
        let padding = rest.prefix { $0 == 0x20 || $0 == 0x09 }
        guard padding.count <= limits.headerBytes else { throw .headerTooLarge }
        let line = rest.dropFirst(padding.count)
        if line.starts(with: "\r\n".utf8) {
            partCount += 1
            guard partCount <= limits.parts else { throw .tooManyParts(limit: limits.parts) }
            state = .header
            return line.startIndex  // the CRLF stays, so that a header without lines ends like any other
        }
        let mayStillComplete = line.isEmpty || line.elementsEqual("\r".utf8) || rest.elementsEqual("-".utf8)
        guard mayStillComplete else { throw .malformed("a delimiter is followed by other text") }
        return hold(bytes, from: start)
    }

    private static func part(header: ArraySlice<UInt8>) throws(MultipartError) -> Part {
        var disposition: ParameterizedField?
        var contentType: String?
        for line in String(decoding: header, as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else { throw .malformed("a header line has no colon") }
            let value = line[line.index(after: colon)...].trimmed()
            switch line[..<colon].lowercased() {
            case "content-disposition": disposition = ParameterizedField(value)
            case "content-type": contentType = value
            default: continue
            }
        }
        guard let disposition, disposition.value.lowercased() == "form-data", let name = disposition["name"]
        else { throw .malformed("a part has no Content-Disposition: form-data with a name") }
        return Part(
            name: unescaped(name), filename: disposition["filename"].map(unescaped), contentType: contentType)
    }

    /// Decodes the only escapes of the WHATWG form encoding, `%22`, `%0D` and `%0A`; any other `%` stays.
    private static func unescaped(_ text: String) -> String {
        guard text.contains("%") else { return text }
        return text.replacing("%22", with: "\"")
            .replacing(/%0[Dd]/, with: "\r").replacing(/%0[Aa]/, with: "\n")
    }
}

/// The reason why a body is not a usable form.
package enum MultipartError: Error, Hashable, Sendable, CustomStringConvertible {
    case boundary
    case malformed(String)
    case headerTooLarge
    case tooManyParts(limit: Int)
    case endedEarly

    /// The problem of the form in one sentence, without a full stop at the end.
    package var description: String {
        switch self {
        case .boundary: "the Content-Type is not multipart/form-data with a boundary of 1 to 70 characters"
        case .malformed(let reason): "the form is malformed: \(reason)"
        case .headerTooLarge: "a part's header is too large"
        case .tooManyParts(let limit): "the form has more than \(limit) parts"
        case .endedEarly: "the form ended before its closing delimiter"
        }
    }
}

/// A header field with a value and parameters, such as `form-data; name="a"; filename="b"`.
///
/// In quotation marks, `\"` and `\\` are escapes. Any other backslash stays, because browsers send it unescaped. An
/// extended parameter such as `filename*` does not replace `filename`; RFC 7578 §4.2 forbids it in forms.
package struct ParameterizedField: Hashable, Sendable {
    /// The field's text before the first parameter, without blanks around it.
    package let value: String
    private let parameters: [String: String]

    /// - Parameter field: The field's value. Malformed parameters are dropped.
    package init(_ field: String) {
        let quote: UnicodeScalar = "\""
        var rest = field.unicodeScalars[...]
        value = String(rest.prefix { $0 != ";" }).trimmed()
        var parameters: [String: String] = [:]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...]
            guard let equals = rest.firstIndex(where: { $0 == "=" || $0 == ";" }), rest[equals] == "=" else {
                continue
            }
            let key = String(rest[..<equals]).trimmed().lowercased()
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            let text = rest.first == quote ? Self.quoted(&rest) : String(rest.prefix { $0 != ";" }).trimmed()
            if parameters[key] == nil { parameters[key] = text }
        }
        self.parameters = parameters
    }

    /// The value of a parameter, whose name must be in lower case; nil if there is none.
    package subscript(name: String) -> String? { parameters[name] }

    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String {
        var text = String.UnicodeScalarView()
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { break }
            if scalar == "\\", let next = rest.first, next == "\"" || next == "\\" {
                text.append(next)
                rest.removeFirst()
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
