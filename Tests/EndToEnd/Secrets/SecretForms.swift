import Foundation

/// The forms in which servers repeat a secret.
enum SecretForms {
    /// The escapes of Go's html/template, and those of .NET's JSON.
    private static let escapes: [[Character: String]] = [
        ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&#34;", "'": "&#39;", "+": "&#43;"],
        ["&": "\\u0026", "<": "\\u003C", ">": "\\u003E", "\"": "\\u0022", "'": "\\u0027", "+": "\\u002B"],
    ]

    /// Returns the text plain, percent-encoded, in Base64, as JSON, as HTML and in hexadecimal.
    static func all(of secret: String) -> [String] {
        let json = (try? JSONEncoder().encode([secret])).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let base64 = Data(secret.utf8).base64EncodedString()
        let escaped = escapes.map { escapes in
            secret.map { escapes[$0] ?? String($0) }.joined()
        }
        let digits = secret.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let encoded = percentEncoded(secret)
        return [secret, encoded, encoded.lowercased(), base64, String(json.dropFirst(2).dropLast(2))]
            + escaped + [digits, digits.uppercased()]
    }

    static func percentEncoded(_ secret: String) -> String {
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        return secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
    }
}
