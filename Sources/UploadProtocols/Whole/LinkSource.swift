import FerryFiles
public import HTTPTypes

/// The place in a server's response that names the finished upload. Paste and media servers each have their own.
public enum LinkSource: Hashable, Sendable {
    case header(HTTPField.Name)
    case pointer(JSONPointer)

    /// The named address; nil if there is none. Links may lead to any host: nothing is sent there.
    ///
    /// - Parameter base: The address that was asked, for relative links.
    func link(in answer: ExchangeOutcome.Response, base: String) -> String? {
        let text =
            switch self {
            case .header(let name): answer.fields[name]
            case .pointer(let pointer): pointer.text(in: answer.body)
            }
        return text.flatMap { UploadAddress.absolute($0, against: base)?.absoluteString }
    }
}

/// A place in a JSON document (RFC 6901), such as `/files/0/url`.
public struct JSONPointer: Hashable, Sendable {
    private let tokens: [String]

    /// - Returns: nil if `text` is no pointer: it begins with a slash, and after `~` comes 0 or 1. The whole document,
    ///   which the empty text means, is none here.
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

    /// The text that stands there; nil if nothing does, or something else than text.
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

    /// Digits without a leading zero (§4).
    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), token == "0" || !token.hasPrefix("0")
        else { return nil }
        return Int(token)
    }
}
