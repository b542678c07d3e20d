import FerryFiles

/// The boundary between the parts of a form, and the layout of the form's bytes (RFC 2046 §5.1.1): for each part
/// `opening` and the part's content, and at the end `closing`.
package struct MultipartBoundary: Hashable, Sendable {
    /// The boundary: 1 to 70 characters, without the dashes before it.
    package let text: String
    /// True for a random boundary. Each part must be searched for any other one (`BoundaryCheck`).
    package let isUnguessable: Bool

    /// Makes a random boundary of 52 letters and digits: 256 random bits.
    package init() {
        var generator = PooledRandom()
        text = (0..<4).map { _ in String(generator.next(), radix: 36).zeroPadded(to: 13) }.joined()
        isUnguessable = true
    }

    /// - Throws: `.boundary` unless the text has 1 to 70 characters of RFC 2046 §5.1.1, without a space at its end.
    package init(_ text: String) throws(MultipartError) {
        guard (1...70).contains(text.utf8.count), text.utf8.last != UInt8(ascii: " "),
            text.utf8.allSatisfy(Self.allowed.contains)
        else { throw .boundary }
        self.text = text
        isUnguessable = false
    }

    /// The value of the request's `Content-Type`; the boundary is quoted if it is not a token (RFC 9110 §5.6.2).
    package var contentType: String {
        let isToken = text.utf8.allSatisfy(Self.allowedInToken.contains)
        return "multipart/form-data; boundary=" + (isToken ? text : "\"\(text)\"")
    }

    /// Returns the bytes before a part's content: the end of the part before, the boundary, and the header.
    package func opening(_ header: MultipartHeader, isFirst: Bool) -> [UInt8] {
        Array((isFirst ? "--\(text)\r\n" : "\r\n--\(text)\r\n").utf8) + header.bytes
    }

    /// Returns the bytes that end the body.
    ///
    /// - Parameter isEmpty: True for a form without parts, against RFC 2046. Browsers send the same body.
    package func closing(isEmpty: Bool) -> [UInt8] {
        Array((isEmpty ? "--\(text)--\r\n" : "\r\n--\(text)--\r\n").utf8)
    }

    private static let allowed = PlainCharacters(alphanumericsAnd: "'()+_,-./:=? ")
    private static let allowedInToken = PlainCharacters(alphanumericsAnd: "'+_-.")
}

/// A search for a boundary in one part's content, which may arrive in chunks.
///
/// RFC 2046 §5.1.1 forbids it only at the start of a line and after two dashes. But some parsers end a line at a bare
/// CR or LF, and Node's undici does not check the dashes.
package struct BoundaryCheck: Sendable {
    private let search: ByteSearch
    private var held: [UInt8] = []

    package init(_ boundary: MultipartBoundary) { search = ByteSearch(Array(boundary.text.utf8)) }

    /// Searches the next chunk of the content. Returns true if an occurrence of the boundary ends in this chunk.
    package mutating func finds(in piece: [UInt8]) -> Bool {
        let bytes = held.isEmpty ? piece : held + piece
        let found = search.first(in: bytes, from: 0)
        held = Array(bytes[found])
        return found.count == search.pattern.count
    }
}
