import FerryFiles
public import HTTPTypes

/// The part of a response with the URL of the finished upload: a header field, or a value in a JSON body.
public enum LinkSource: Hashable, Sendable {
    case header(HTTPField.Name)
    case pointer(JSONPointer)

    /// Returns the absolute URL, relative to that of the request. Any host is allowed, because no request follows.
    func link(in response: ExchangeOutcome.Response, base: String) -> String? {
        let text =
            switch self {
            case .header(let name): response.fields[name]
            case .pointer(let pointer): pointer.text(in: response.body)
            }
        return text.flatMap { UploadAddress.absolute($0, against: base)?.absoluteString }
    }
}

/// A JSON Pointer (RFC 6901): the path to one value in a JSON document, such as `/files/0/url`.
public struct JSONPointer: Hashable, Sendable {
    private let tokens: [String]

    /// Parses a JSON Pointer; nil also for the empty one, which means the whole document.
    public init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        var tokens: [String] = []
        for token in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let parts = token.split(separator: "~", omittingEmptySubsequences: false)
            guard parts.dropFirst().allSatisfy({ $0.first == "0" || $0.first == "1" }) else { return nil }
            // "~1" first, so that "~01" becomes "~1" and no slash (§4).
            tokens.append(String(token).replacing("~1", with: "/").replacing("~0", with: "~"))
        }
        self.tokens = tokens
    }

    /// Returns the text to which the pointer leads; nil if the document is malformed or has no text there.
    func text(in document: [UInt8]) -> String? {
        guard var value = JSONValue(document: document) else { return nil }
        for token in tokens {
            if let member = value.object?[token] {
                value = member
            } else if case .array(let array) = value, let index = Self.index(token),
                array.indices.contains(index)
            {
                value = array[index]
            } else {
                return nil
            }
        }
        return value.text
    }

    /// Parses an array index: digits without a leading zero (RFC 6901 §4); nil for any other text.
    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), token == "0" || !token.hasPrefix("0")
        else { return nil }
        return Int(token)
    }
}
